import type { TransactionProof, TransactionProofOperation } from '@railyard/client'
import { type ReactNode, useState } from 'react'
import { useLoad } from '../../api/use-api.ts'
import { formatDistance } from '../../format/time.ts'
import { Dialog } from '../../parts/dialogs/dialog.tsx'
import { Notice } from '../../parts/messages/notice.tsx'
import { Button } from '../../parts/page/button.tsx'
import { Card, Detail, Details } from '../../parts/page/layout.tsx'
import { Loaded } from '../../parts/page/loaded.tsx'
import { Tag, type Tone } from '../../parts/values/tag.tsx'
import { Amount, CopyText, Time } from '../../parts/values/values.tsx'
import { proofWords as words } from '../../words/payments/proof.ts'

/** Whether the payment is what its operations make of it, and the journal of these operations. */
export function Proof({ id }: { id: string }): ReactNode {
  const [isOpen, setOpen] = useState(false)
  const query = useLoad(['transactions', id, 'proof'], (api, signal) =>
    api.transactions.proof.get(id, { signal }),
  )
  return (
    <Card
      title={words.title}
      aside={
        query.data && (
          <Tag tone={query.data.consistent ? 'good' : 'bad'}>
            {query.data.consistent ? words.consistent : words.inconsistent}
          </Tag>
        )
      }
    >
      <Loaded query={query} lines={2}>
        {(proof) => (
          <>
            <p className="text-sm text-ink-2">
              {words.summary(proof.operations.length, proof.chain, formatDistance(proof.checked_at))}
            </p>
            <Button className="mt-3" onClick={() => setOpen(true)}>
              {words.show}
            </Button>
            <Dialog
              open={isOpen}
              onClose={() => setOpen(false)}
              title={words.journal}
              text={words.journalText}
              wide
            >
              <Journal proof={proof} />
            </Dialog>
          </>
        )}
      </Loaded>
    </Card>
  )
}

function Journal({ proof }: { proof: TransactionProof }): ReactNode {
  return (
    <div className="mt-4 grid gap-3">
      {proof.findings.map(({ problem, stored, computed }) => (
        <Notice key={problem} tone="bad">
          {words.finding(problem, stored, computed)}
        </Notice>
      ))}
      {proof.chain.problems.map((problem) => (
        <Notice key={problem} tone="bad">
          {problem}
        </Notice>
      ))}
      <ol className="grid gap-3">
        {proof.operations.map((operation) => (
          <li key={operation.id} className="rounded-md border border-line p-3">
            <Operation operation={operation} />
          </li>
        ))}
      </ol>
    </div>
  )
}

const tones: Record<string, Tone> = { approved: 'good', declined: 'bad', failed: 'bad', unknown: 'warn' }

function Operation({ operation }: { operation: TransactionProofOperation }): ReactNode {
  const { kind, status, outcome_by, calls } = operation
  const name = words.names
  return (
    <>
      <p className="mb-2 flex flex-wrap items-center gap-2 font-medium">
        {kind} <Amount of={operation.amount} currency={operation.currency} />{' '}
        <Tag tone={tones[status]}>{status}</Tag>
      </p>
      <Details>
        <Detail name={name.provedBy}>{outcome_by ? words.outcomeBy[outcome_by] : words.open}</Detail>
        <Detail name={name.service}>{operation.payment_service_display_name}</Detail>
        <Detail name={name.key}>
          {operation.idempotency_key && <CopyText text={operation.idempotency_key} />}
        </Detail>
        <Detail name={name.intended}>
          <Time at={operation.intended_at} form="both" />
        </Detail>
        <Detail name={name.decided}>
          {operation.decided_at && <Time at={operation.decided_at} form="both" />}
        </Detail>
        <Detail name={name.next}>
          {operation.next_look_up_at && formatDistance(operation.next_look_up_at)}
        </Detail>
        <Detail name={name.calls}>
          {calls.length > 0 && (
            <ul className="grid gap-1 font-mono text-xs break-all text-ink-2">
              {calls.map(({ id, method, url, response_status_code, look_up }) => (
                <li key={id}>
                  {method} {url} → {response_status_code ?? words.noAnswer}
                  {look_up && ` (${words.lookUp})`}
                </li>
              ))}
            </ul>
          )}
        </Detail>
      </Details>
    </>
  )
}
