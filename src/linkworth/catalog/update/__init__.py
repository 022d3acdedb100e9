"""Fresh prices from the providers' public price interfaces."""
