import type { PaymentService, PaymentServiceDefinition } from '@railyard/client'
import type { ReactNode } from 'react'
import { useAction } from '../../api/use-api.ts'
import { FormDialog, useDialog } from '../../parts/dialogs/dialog.tsx'
import { useSay } from '../../parts/messages/toast.tsx'
import { Button } from '../../parts/page/button.tsx'
import { Card } from '../../parts/page/layout.tsx'
import { CopyText } from '../../parts/values/values.tsx'
import { useMay } from '../../session/signed-in.ts'
import { paymentServiceWords } from '../../words/connections/payment-services.ts'

const words = paymentServiceWords.webhook

/** Where a payment service notifies Railyard, and how it learns of that. */
export function ServiceWebhook({
  service: { id, webhook_url },
  definition,
}: {
  service: PaymentService
  definition: PaymentServiceDefinition | undefined
}): ReactNode {
  const may = useMay('payment-services.write')
  const say = useSay()
  const dialog = useDialog()
  const register = useAction({
    run: (api) => api.paymentServices.registerWebhook(id),
    onDone: () => {
      say(words.registered)
      dialog.close()
    },
    changes: [['payment-services']],
  })
  const has = definition?.supported_features ?? {}
  return (
    <Card title={words.title}>
      {webhook_url ? (
        <div className="grid justify-items-start gap-2 text-sm">
          <p className="text-ink-2">{words.text}</p>
          <CopyText text={webhook_url} />
          {has['webhook_registration']
            ? may && (
                <Button className="mt-1" onClick={() => dialog.open(true)}>
                  {words.register}
                </Button>
              )
            : definition && (
                <p className="text-ink-3">{has['requires_webhook_setup'] ? words.byHand : words.notNeeded}</p>
              )}
        </div>
      ) : (
        <p className="text-sm text-ink-3">{words.none}</p>
      )}
      <FormDialog
        open={dialog.about !== undefined}
        onClose={dialog.close}
        title={words.register}
        text={words.registerText}
        submit={words.register}
        busy={register.isPending}
        error={register.error}
        onSubmit={() => register.mutate()}
      />
    </Card>
  )
}
