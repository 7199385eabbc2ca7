-- Trigger function of evaluation, called when an evaluation ends or is created with a cached result: numbers the ended
-- evaluations of a batch from 1 in the order of their ends, and notifies readers. The row lock of the batch makes the
-- numbers gapless in the order of commits, so that a reader that asks for those after a number misses none.
create function number_evaluation() returns trigger language plpgsql as $$
begin
  if new.batch_id is not null then
    update evaluation_batch set ended = ended + 1 where id = new.batch_id returning ended into new.ended_number;
    perform pg_notify('change', 'evaluation_batch ' || new.batch_id);
  end if;
  perform pg_notify('change', 'evaluation ' || new.id);
  return new;
end $$;
