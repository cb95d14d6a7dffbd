import type { PaymentService, PaymentServiceDefinition } from '@railyard/client'
import type { ReactNode } from 'react'
import { useNavigate } from 'react-router'
import { useAction } from '../../api/use-api.ts'
import { ConfirmDialog } from '../../parts/dialogs/confirm-dialog.tsx'
import { useDialog } from '../../parts/dialogs/dialog.tsx'
import { ErrorNotice } from '../../parts/messages/notice.tsx'
import { useSay } from '../../parts/messages/toast.tsx'
import { Button, ButtonLink } from '../../parts/page/button.tsx'
import { Menu } from '../../parts/page/menu.tsx'
import { useMay, useSignedIn } from '../../session/signed-in.ts'
import { commonWords } from '../../words/common.ts'
import { paymentServiceWords } from '../../words/connections/payment-services.ts'

const words = paymentServiceWords.actions

/** What a person may do with a payment service. */
export function ServiceActions({
  service,
  definition,
}: {
  service: PaymentService
  definition: PaymentServiceDefinition | undefined
}): ReactNode {
  const { account } = useSignedIn()
  const may = useMay('payment-services.write')
  const navigate = useNavigate()
  const say = useSay()
  const dialog = useDialog<'pause' | 'delete' | 'check'>()
  const resume = useAction({
    run: (api) => api.paymentServices.update(service.id, { active: true }),
    onDone: () => say(words.resumed),
    changes: [['payment-services']],
  })
  if (!may) return null
  return (
    <>
      {resume.error && <ErrorNotice error={resume.error} />}
      <ButtonLink to="edit">{commonWords.edit}</ButtonLink>
      {service.active ? (
        <Button onClick={() => dialog.open('pause')}>{words.pause}</Button>
      ) : (
        <Button look="primary" busy={resume.isPending} onClick={() => resume.mutate()}>
          {words.resume}
        </Button>
      )}
      <Menu
        label={commonWords.more}
        items={[
          ...(definition?.supported_features['verify_credentials']
            ? [{ text: words.checkCredentials, onSelect: () => dialog.open('check') }]
            : []),
          { text: words.delete, onSelect: () => dialog.open('delete'), danger: true },
        ]}
      />
      {dialog.about === 'pause' && (
        <ConfirmDialog
          title={`${words.pause}: ${service.display_name}`}
          submit={words.pause}
          text={words.pauseText}
          done={words.pausedNow}
          run={(api) => api.paymentServices.update(service.id, { active: false })}
          changes={[['payment-services']]}
          onClose={dialog.close}
        />
      )}
      {dialog.about === 'delete' && (
        <ConfirmDialog
          danger
          title={`${words.delete}: ${service.display_name}`}
          submit={words.delete}
          text={words.deleteText}
          done={words.deleteDone}
          run={(api) => api.paymentServices.delete(service.id)}
          onDone={() => void navigate(`/${account}/payment-services`)}
          changes={[['payment-services']]}
          onClose={dialog.close}
        />
      )}
      {dialog.about === 'check' && (
        <ConfirmDialog
          title={words.checkCredentials}
          submit={paymentServiceWords.form.check}
          text={words.checkText}
          done={paymentServiceWords.form.checkGood}
          run={(api) =>
            api.paymentServices.verify({
              payment_service_definition_id: service.payment_service_definition_id,
              payment_service_id: service.id,
              fields: [],
            })
          }
          changes={[]}
          onClose={dialog.close}
        />
      )}
    </>
  )
}
