"""The emulated cluster: nodes that are namespaces of one Linux machine, joined by shaped links."""
