"""What runs inside the sandbox. Nothing here is secret: submissions can read it. It is mounted as `worker`; the
package around it beside it, for the process that runs a problem's code."""
