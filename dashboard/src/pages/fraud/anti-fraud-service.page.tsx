import type { AntiFraudService } from '@railyard/client'
import { type ReactNode, useState } from 'react'
import { useNavigate, useParams } from 'react-router'
import { every } from '../../api/every.ts'
import { useAction, useLoad } from '../../api/use-api.ts'
import { ConfirmDialog } from '../../parts/dialogs/confirm-dialog.tsx'
import { useDialog } from '../../parts/dialogs/dialog.tsx'
import { type ServiceDefinition, ServiceForm, type ServiceInput } from '../../parts/forms/service-form.tsx'
import { useSay } from '../../parts/messages/toast.tsx'
import { Button } from '../../parts/page/button.tsx'
import { Card, Detail, Details, Page as Layout } from '../../parts/page/layout.tsx'
import { Loaded } from '../../parts/page/loaded.tsx'
import { Tag } from '../../parts/values/tag.tsx'
import { CopyText } from '../../parts/values/values.tsx'
import { useMay, useSignedIn } from '../../session/signed-in.ts'
import { fraudWords } from '../../words/connections/fraud.ts'
import { serviceFormWords } from '../../words/connections/service-form.ts'
import { PositionField, parsePosition } from './position-field.tsx'

const words = fraudWords.services

export function Page(): ReactNode {
  const { id = '' } = useParams()
  const maySeeDefinitions = useMay('anti-fraud-service-definitions.read')
  const query = useLoad(['anti-fraud-services', id], async (api, signal) => {
    const service = await api.antiFraudServices.get(id, { signal })
    const definitions = maySeeDefinitions ? await every(api.antiFraudServiceDefinitions.list({ signal })) : []
    const definition = definitions.find((each) => each.id === service.anti_fraud_service_definition_id)
    return { service, definition }
  })
  return (
    <Loaded query={query} title={words.title} lines={8}>
      {({ service, definition }) => <Service key={service.id} service={service} definition={definition} />}
    </Loaded>
  )
}

function Service({
  service,
  definition,
}: {
  service: AntiFraudService
  definition: ServiceDefinition | undefined
}): ReactNode {
  const { account } = useSignedIn()
  const may = useMay('anti-fraud-services.write')
  const navigate = useNavigate()
  const say = useSay()
  const deleting = useDialog()
  const [position, setPosition] = useState(String(service.position))
  const home = `/${account}/fraud?view=services`
  const save = useAction({
    run: (api, input: ServiceInput & { position?: number }) =>
      api.antiFraudServices.update(service.id, input),
    onDone: () => say(serviceFormWords.saved),
    changes: [['anti-fraud-services']],
  })
  const isEditable = may && definition !== undefined
  return (
    <Layout
      title={service.display_name}
      above={[
        { text: fraudWords.title, to: `/${account}/fraud` },
        { text: words.title, to: home },
      ]}
      heading={
        <span className="flex flex-wrap items-center gap-3">
          <span className="min-w-0 break-words">{service.display_name}</span>
          <Tag tone={service.active ? 'good' : 'warn'}>
            {service.active ? serviceFormWords.active : serviceFormWords.paused}
          </Tag>
        </span>
      }
      actions={isEditable && <Button onClick={() => deleting.open(true)}>{words.delete}</Button>}
    >
      <div className="max-w-3xl">
        <Card title={words.webhook}>
          <p className="mb-2 text-sm text-ink-2">{words.webhookText}</p>
          {service.webhook_url ? (
            <CopyText text={service.webhook_url} />
          ) : (
            <p className="text-sm text-ink-3">{words.hidden}</p>
          )}
        </Card>
      </div>
      {isEditable ? (
        <ServiceForm
          // what was typed is gone once it is saved: secrets, too
          key={service.updated_at}
          definition={definition}
          service={service}
          activeHint={words.active}
          back={home}
          busy={save.isPending}
          error={save.error}
          onSubmit={(input) => {
            const place = parsePosition(position)
            if (place !== null) save.mutate({ ...input, ...(place !== undefined && { position: place }) })
          }}
        >
          <PositionField value={position} onChange={setPosition} />
        </ServiceForm>
      ) : (
        <div className="max-w-3xl">
          <Card>
            <Details>
              <Detail name={words.kind}>
                {definition?.display_name ?? service.anti_fraud_service_definition_id}
              </Detail>
              <Detail name={words.position}>{service.position}</Detail>
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
          run={(api) => api.antiFraudServices.delete(service.id)}
          onDone={() => void navigate(home)}
          changes={[['anti-fraud-services', 'list']]}
          onClose={deleting.close}
        />
      )}
    </Layout>
  )
}
