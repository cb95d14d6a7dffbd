import type { PaymentService, PaymentServiceDefinition } from '@railyard/client'
import type { ReactNode } from 'react'
import { Link, useParams } from 'react-router'
import { useLoad } from '../../api/use-api.ts'
import { readable } from '../../format/names.ts'
import { Card, Columns, Detail, Details, Page as Layout } from '../../parts/page/layout.tsx'
import { Loaded } from '../../parts/page/loaded.tsx'
import { Tag } from '../../parts/values/tag.tsx'
import { CopyText, Time } from '../../parts/values/values.tsx'
import { useMay, useSignedIn } from '../../session/signed-in.ts'
import { paymentServiceWords as words } from '../../words/connections/payment-services.ts'
import { describeFeatures, describeState, isSimulator } from './describe-service.ts'
import { ServiceActions } from './service-actions.tsx'
import { ServiceHealth } from './service-health.tsx'
import { ServiceProfiles } from './service-profiles.tsx'
import { ServiceWebhook } from './service-webhook.tsx'

export function Page(): ReactNode {
  const { id = '' } = useParams()
  const { account } = useSignedIn()
  const query = useLoad(['payment-services', id], (api, signal) => api.paymentServices.get(id, { signal }))
  const definitionId = query.data?.payment_service_definition_id
  const definition = useLoad(
    ['payment-service-definitions', definitionId],
    (api, signal) => api.paymentServiceDefinitions.get(definitionId ?? '', { signal }),
    { enabled: definitionId !== undefined },
  ).data
  return (
    <Loaded query={query} title={words.title} lines={10}>
      {(service) => {
        const { text, tone } = describeState(service)
        return (
          <Layout
            title={service.display_name}
            above={[{ text: words.title, to: `/${account}/payment-services` }]}
            heading={
              <span className="flex flex-wrap items-center gap-3">
                <span className="min-w-0 break-words">{service.display_name}</span>
                <Tag tone={tone}>{text}</Tag>
              </span>
            }
            actions={<ServiceActions service={service} definition={definition} />}
          >
            <Columns
              main={
                <>
                  <ServiceHealth id={service.id} />
                  <ServiceWebhook service={service} definition={definition} />
                  <ServiceSettings service={service} definition={definition} />
                  {definition?.supported_features['three_d_secure_hosted'] && (
                    <ServiceProfiles service={service} />
                  )}
                </>
              }
              side={<ServiceDetails service={service} definition={definition} />}
            />
          </Layout>
        )
      }}
    </Loaded>
  )
}

interface Shown {
  service: PaymentService
  definition: PaymentServiceDefinition | undefined
}

/** The fields as they are stored; of a secret one only that it is one. */
function ServiceSettings({ service: { fields }, definition }: Shown): ReactNode {
  const name = words.details
  if (!definition || definition.fields.length === 0) return null
  return (
    <Card title={name.settings}>
      {fields ? (
        <Details>
          {definition.fields.map(({ key, display_name, secret }) => (
            <Detail key={key} name={display_name}>
              {secret ? (
                <span className="text-ink-3">{name.secret}</span>
              ) : (
                (fields.find((field) => field.key === key)?.value ?? (
                  <span className="text-ink-3">{name.notSet}</span>
                ))
              )}
            </Detail>
          ))}
        </Details>
      ) : (
        <p className="text-sm text-ink-3">{name.hidden}</p>
      )}
    </Card>
  )
}

function ServiceDetails({ service, definition }: Shown): ReactNode {
  const { account } = useSignedIn()
  const maySeePayments = useMay('transactions.read')
  const name = words.details
  const options = (
    [
      'three_d_secure_enabled',
      'payment_method_tokenization_enabled',
      'network_tokens_enabled',
      'open_loop',
      'settlement_reporting_enabled',
    ] as const
  ).filter((member) => service[member])
  return (
    <>
      <Card title={name.title}>
        <Details>
          <Detail name={name.kind}>
            {definition?.display_name ?? service.payment_service_definition_id}
          </Detail>
          <Detail name={name.method}>{readable(service.method)}</Detail>
          <Detail name={name.position}>{service.position}</Detail>
          <Detail name={name.options}>{options.map((member) => words.form[member]).join(', ')}</Detail>
          <Detail name={name.currencies}>{service.accepted_currencies.join(', ')}</Detail>
          <Detail name={name.countries}>{service.accepted_countries.join(', ')}</Detail>
          <Detail name={name.id}>
            <CopyText text={service.id} short />
          </Detail>
          <Detail name={name.created}>
            <Time at={service.created_at} form="both" />
          </Detail>
          <Detail name={name.updated}>
            <Time at={service.updated_at} form="both" />
          </Detail>
        </Details>
        {maySeePayments && (
          <p className="mt-3 text-sm">
            <Link className="underline" to={`/${account}/payments?payment_service_id=${service.id}`}>
              {name.payments}
            </Link>
          </p>
        )}
      </Card>
      {definition && (
        <Card title={name.features}>
          {isSimulator(definition) && (
            <p className="mb-2 text-sm text-ink-3">{words.catalogue.allSimulated}</p>
          )}
          <ul className="grid gap-1 text-sm text-ink-2">
            {describeFeatures(definition).map(({ feature, text, simulated }) => (
              <li key={feature}>
                {text}
                {simulated && !isSimulator(definition) && (
                  <span className="text-ink-3"> ({words.catalogue.simulated})</span>
                )}
              </li>
            ))}
          </ul>
        </Card>
      )}
    </>
  )
}
