-- Returns how requests name the problem of a submission: by its name, or by its version for a problem that was uploaded for evaluations. The
-- same as uploadedProblem in packages/core.
create function problem_reference(name text, version text) returns text language sql immutable parallel safe
return coalesce(name, 'sha256:' || version);
