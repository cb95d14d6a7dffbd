import type { Dispute } from '@railyard/client'
import type { ReactNode } from 'react'
import { useAction } from '../../api/use-api.ts'
import { formatAmount } from '../../format/amount.ts'
import { FormDialog, useDialog } from '../../parts/dialogs/dialog.tsx'
import { useSay } from '../../parts/messages/toast.tsx'
import { UnknownOutcome } from '../../parts/messages/unknown-outcome.tsx'
import { Button } from '../../parts/page/button.tsx'
import { useMay } from '../../session/signed-in.ts'
import { disputeWords as words } from '../../words/payments/disputes.ts'
import { acceptanceRefusal, evidenceRefusal } from './dispute-status.ts'
import { EvidenceDialog } from './evidence-dialog.tsx'

/** What a person may do about a dispute. */
export function DisputeActions({ dispute }: { dispute: Dispute }): ReactNode {
  const may = useMay('disputes.write')
  const dialog = useDialog<'evidence' | 'accept'>()
  if (!may) return null
  const noEvidence = evidenceRefusal(dispute)
  return (
    <>
      <Button refused={acceptanceRefusal(dispute)} onClick={() => dialog.open('accept')}>
        {words.accept}
      </Button>
      <Button
        look={noEvidence ? 'plain' : 'primary'}
        refused={noEvidence}
        onClick={() => dialog.open('evidence')}
      >
        {words.submit}
      </Button>
      {dialog.about === 'evidence' && <EvidenceDialog dispute={dispute} onClose={dialog.close} />}
      {dialog.about === 'accept' && <AcceptDialog dispute={dispute} onClose={dialog.close} />}
    </>
  )
}

function AcceptDialog({ dispute, onClose }: { dispute: Dispute; onClose: () => void }): ReactNode {
  const say = useSay()
  const accept = useAction<void, Dispute>({
    run: (api, _none, idempotencyKey) => api.disputes.accept(dispute.id, { idempotencyKey }),
    onDone: () => {
      say(words.acceptDone)
      onClose()
    },
    changes: [['disputes'], ['transactions']],
  })
  return (
    <FormDialog
      open
      danger
      onClose={onClose}
      title={words.acceptTitle}
      text={words.acceptText(formatAmount(dispute.amount, dispute.currency))}
      submit={words.accept}
      busy={accept.isPending}
      error={accept.error}
      onSubmit={() => accept.mutate()}
    >
      <UnknownOutcome error={accept.error} text={words.unknownOutcome} />
    </FormDialog>
  )
}
