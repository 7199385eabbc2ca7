-- Views with the names and columns of the tables that the web front end of the existing system reads with SQL, so that a
-- copy of it can show this server's boards. They contain what a visitor without an account sees.
create schema leaderboard;
comment on schema leaderboard is 'Read-only views for the web front end of the existing system. Grant usage and select to a role of its own.';
