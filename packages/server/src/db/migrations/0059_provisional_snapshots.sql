alter table dataset_snapshot add column provisional boolean not null default false;
comment on column dataset_snapshot.provisional is 'Of a ready one: whether runs of its competitions were unfinished when it was made. Of one that is being made: whether they may be.';
