-- Rows that every database has from the start.

insert into intake_gate default values;

-- A new random key for each database.
insert into dataset_secret default values;
