-- Answers of proposals that nobody has taken; they are erased after a day (src/approvals/proposals/take-answer.ts).
create index proposals_with_answer on proposals (ended_at) where answer is not null;
