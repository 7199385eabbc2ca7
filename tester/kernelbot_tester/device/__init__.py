"""Devices: the host or an accelerator. The judge uses only the interface `device.Device`."""
