import type { ConfiguredGiftCardService } from '@railyard/client'
import type { ReactNode } from 'react'
import { useNavigate, useParams } from 'react-router'
import { useAction, useLoad } from '../../api/use-api.ts'
import { ConfirmDialog } from '../../parts/dialogs/confirm-dialog.tsx'
import { useDialog } from '../../parts/dialogs/dialog.tsx'
import { ServiceForm, type ServiceInput } from '../../parts/forms/service-form.tsx'
import { useSay } from '../../parts/messages/toast.tsx'
import { Button } from '../../parts/page/button.tsx'
import { Card, Detail, Details, Page as Layout } from '../../parts/page/layout.tsx'
import { Loaded } from '../../parts/page/loaded.tsx'
import { Tag } from '../../parts/values/tag.tsx'
import { CopyText, Time } from '../../parts/values/values.tsx'
import { useMay, useSignedIn } from '../../session/signed-in.ts'
import { giftCardServiceWords as words } from '../../words/connections/gift-card-services.ts'
import { serviceFormWords } from '../../words/connections/service-form.ts'
import { definitionOf } from './definitions.ts'

export function Page(): ReactNode {
  const { id = '' } = useParams()
  const query = useLoad(['gift-card-services', id], (api, signal) => api.giftCardServices.get(id, { signal }))
  return (
    <Loaded query={query} title={words.title} lines={8}>
      {(service) => <Service key={service.id} service={service} />}
    </Loaded>
  )
}

function Service({ service }: { service: ConfiguredGiftCardService }): ReactNode {
  const { account } = useSignedIn()
  const may = useMay('gift-card-services.write')
  const navigate = useNavigate()
  const say = useSay()
  const deleting = useDialog()
  const home = `/${account}/gift-card-services`
  const definition = definitionOf(service.gift_card_service_definition_id)
  const save = useAction({
    run: (api, input: ServiceInput) => api.giftCardServices.update(service.id, input),
    onDone: () => say(serviceFormWords.saved),
    changes: [['gift-card-services']],
  })
  return (
    <Layout
      title={service.display_name}
      above={[{ text: words.title, to: home }]}
      heading={
        <span className="flex flex-wrap items-center gap-3">
          <span className="min-w-0 break-words">{service.display_name}</span>
          <Tag tone={service.active ? 'good' : 'warn'}>
            {service.active ? serviceFormWords.active : serviceFormWords.paused}
          </Tag>
        </span>
      }
      actions={may && <Button onClick={() => deleting.open(true)}>{words.delete}</Button>}
    >
      {may && definition?.notifies && <Webhook id={service.id} />}
      {may && definition ? (
        <ServiceForm
          // what was typed is gone once it is saved: secrets, too
          key={service.updated_at}
          definition={definition}
          service={service}
          activeHint={words.active}
          back={home}
          busy={save.isPending}
          error={save.error}
          onSubmit={(input) => save.mutate(input)}
        />
      ) : (
        <div className="max-w-3xl">
          <Card>
            <Details>
              <Detail name={words.columns.kind}>
                {definition?.display_name ?? service.gift_card_service_definition_id}
              </Detail>
              <Detail name={words.columns.created}>
                <Time at={service.created_at} form="both" />
              </Detail>
              <Detail name={words.columns.updated}>
                <Time at={service.updated_at} form="both" />
              </Detail>
            </Details>
          </Card>
        </div>
      )}
      {deleting.about && (
        <ConfirmDialog
          danger
          title={`${words.delete}: ${service.display_name}`}
          submit={words.delete}
          text={words.deleteText}
          done={serviceFormWords.deletedNow}
          run={(api) => api.giftCardServices.delete(service.id)}
          onDone={() => void navigate(home)}
          changes={[['gift-card-services', 'list']]}
          onClose={deleting.close}
        />
      )}
    </Layout>
  )
}

function Webhook({ id }: { id: string }): ReactNode {
  const query = useLoad(['gift-card-services', id, 'webhook'], (api, signal) =>
    api.giftCardServices.webhook.get(id, { signal }),
  )
  return (
    <div className="max-w-3xl">
      <Card title={words.webhook}>
        <p className="mb-2 text-sm text-ink-2">{words.webhookText}</p>
        <Loaded query={query} lines={1}>
          {({ url }) => <CopyText text={url} />}
        </Loaded>
      </Card>
    </div>
  )
}
