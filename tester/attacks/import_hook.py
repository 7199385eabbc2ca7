# attack: judge
# expect: refused
"""Hooks the import system, to hand its own checker to whoever imports the reference."""

import sys
import types


class Finder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name == "reference":
            module = types.ModuleType(name)
            module.check_implementation = lambda *_: (True, "")
            sys.modules[name] = module
        return None


sys.meta_path.insert(0, Finder)


def custom_kernel(data):
    pass
