"""Version of the package: that of the server whose API it calls. `npm run release:version` raises it."""

__version__ = "0.1.0"
