import type { PaymentService, PaymentServiceDefinition } from '@railyard/client'
import type { ReactNode } from 'react'
import { useNavigate, useParams } from 'react-router'
import { useAction, useLoad } from '../../api/use-api.ts'
import { useSay } from '../../parts/messages/toast.tsx'
import { Page as Layout } from '../../parts/page/layout.tsx'
import { Loaded } from '../../parts/page/loaded.tsx'
import { useSignedIn } from '../../session/signed-in.ts'
import { paymentServiceWords as words } from '../../words/connections/payment-services.ts'
import { PaymentServiceForm, type PaymentServiceInput } from './payment-service-form.tsx'

export function Page(): ReactNode {
  const { id = '' } = useParams()
  const query = useLoad(['payment-services', id, 'edited'], async (api, signal) => {
    const service = await api.paymentServices.get(id, { signal })
    const definition = await api.paymentServiceDefinitions.get(service.payment_service_definition_id, {
      signal,
    })
    return { service, definition }
  })
  return (
    <Loaded query={query} title={words.title} lines={10}>
      {({ service, definition }) => (
        <EditedService key={service.id} service={service} definition={definition} />
      )}
    </Loaded>
  )
}

function EditedService({
  service,
  definition,
}: {
  service: PaymentService
  definition: PaymentServiceDefinition
}): ReactNode {
  const { account } = useSignedIn()
  const navigate = useNavigate()
  const say = useSay()
  const page = `/${account}/payment-services/${service.id}`
  const save = useAction({
    run: (api, { options, ...input }: PaymentServiceInput) =>
      api.paymentServices.update(service.id, { ...input, ...options }),
    onDone: () => {
      say(words.form.saved)
      navigate(page)
    },
    changes: [['payment-services']],
  })
  return (
    <Layout
      title={words.form.editTitle(service.display_name)}
      above={[
        { text: words.title, to: `/${account}/payment-services` },
        { text: service.display_name, to: page },
      ]}
    >
      <PaymentServiceForm
        definition={definition}
        service={service}
        back={page}
        busy={save.isPending}
        error={save.error}
        onSubmit={(input) => save.mutate(input)}
      />
    </Layout>
  )
}
