-- A payment service may approve a payment after Railyard has recorded it as failed (src/transactions/outcome/late-outcome.ts).
alter table operations
  -- when a verified notification said last that this decided operation may have another outcome by now; recovery looks at it again from then on (`check_at`)
  add column late_notice_at timestamptz,
  -- the compensation of the money that it moved after it had failed; null: none was needed
  add column compensated_by uuid;
