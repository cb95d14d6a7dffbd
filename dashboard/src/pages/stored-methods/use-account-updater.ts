import type { AccountUpdaterJob } from '@railyard/client'
import type { UseMutationResult } from '@tanstack/react-query'
import { useAction } from '../../api/use-api.ts'
import { useSay } from '../../parts/messages/toast.tsx'
import { storedMethodWords as words } from '../../words/payments/stored-methods.ts'

/** Asks the issuers whether cards were replaced. */
export function useAccountUpdater(): UseMutationResult<AccountUpdaterJob | undefined, Error, string[]> {
  const say = useSay()
  return useAction({
    run: (api, ids: string[], idempotencyKey) =>
      api.accountUpdater.jobs.create({ payment_method_ids: ids }, { idempotencyKey }),
    onDone: (job) => say(job ? words.updateAsked(job.inquiries.length) : words.updateNone),
    changes: [['payment-methods']],
  })
}
