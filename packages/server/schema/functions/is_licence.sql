-- Tests whether a licence is one of the SPDX identifiers of LICENCES in declaration.ts of packages/core. Null, which
-- means no licence, is valid. Called by checks of tables and by validate_submission.
create function is_licence(name text) returns boolean language sql immutable parallel safe
return name is null or name in ('MIT', 'Apache-2.0', 'BSD-3-Clause', 'CC-BY-4.0', 'CC0-1.0');
