"""Where tensors live: the host's memory, or an accelerator's. `device.Device` is all that the judge knows of it."""
