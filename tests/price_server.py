"""A local server that answers as a provider's price interface does: a list of answers a path, in turn."""

import http.server
import json
import threading
import urllib.parse
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

Answer = tuple[int, dict[str, str], bytes]


class PriceServer:
    """Calls `answer(path, query, turn)` for each request and notes what was asked."""

    def __init__(self, answer: Callable[[str, dict[str, str], int], Answer]) -> None:
        self.asked: list[tuple[str, dict[str, str]]] = []
        self._answer = answer
        server = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                parts = urllib.parse.urlsplit(self.path)
                query = dict(urllib.parse.parse_qsl(parts.query))
                turn = sum(each == (parts.path, query) for each in server.asked)
                server.asked.append((parts.path, query))
                status, headers, body = server._answer(parts.path, query, turn)
                self.send_response(status)
                for name, value in {"Content-Length": str(len(body)), **headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: object) -> None:
                """Keep the test's output clean."""

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> "PriceServer":
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


def as_json(document: object, **headers: str) -> Answer:
    return 200, {"Content-Type": "application/json", **headers}, json.dumps(document).encode()


def azure_item(name: str, region: str, price: float, sku: str, product: str, **more: Any) -> dict[str, Any]:
    """An item with all fields of the documented answer (Microsoft, Azure Retail Prices overview, "API response examples")."""
    return {
        "currencyCode": "USD",
        "tierMinimumUnits": 0.0,
        "retailPrice": price,
        "unitPrice": price,
        "armRegionName": region,
        "location": region,
        "effectiveStartDate": "2026-01-01T00:00:00Z",
        "meterId": f"meter-{sku}-{region}",
        "meterName": sku,
        "productId": "DZH318Z0",
        "skuId": "DZH318Z0/0001",
        "productName": product,
        "skuName": sku,
        "serviceName": "Virtual Machines",
        "serviceId": "DZH313Z7MMC8",
        "serviceFamily": "Compute",
        "unitOfMeasure": "1 Hour",
        "type": "Consumption",
        "isPrimaryMeterRegion": True,
        "armSkuName": name,
        **more,
    }


def azure_page(items: list[dict[str, Any]], link: str | None = None) -> Answer:
    return as_json(
        {
            "BillingCurrency": "USD",
            "CustomerEntityId": "Default",
            "CustomerEntityType": "Retail",
            "Items": items,
            "NextPageLink": link,
            "Count": len(items),
        }
    )


@contextmanager
def serving(answer: Callable[[str, dict[str, str], int], Answer]) -> Iterator[PriceServer]:
    with PriceServer(answer) as server:
        yield server
