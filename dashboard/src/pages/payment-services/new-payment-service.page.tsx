import type { PaymentServiceDefinition } from '@railyard/client'
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
  const { definition: id = '' } = useParams()
  const query = useLoad(['payment-service-definitions', id], (api, signal) =>
    api.paymentServiceDefinitions.get(id, { signal }),
  )
  return (
    <Loaded query={query} title={words.title} lines={10}>
      {(definition) => <NewService definition={definition} />}
    </Loaded>
  )
}

function NewService({ definition }: { definition: PaymentServiceDefinition }): ReactNode {
  const { account } = useSignedIn()
  const navigate = useNavigate()
  const say = useSay()
  const home = `/${account}/payment-services`
  const create = useAction({
    run: (api, { options, ...input }: PaymentServiceInput, idempotencyKey) =>
      api.paymentServices.create(
        { payment_service_definition_id: definition.id, ...input, ...options },
        { idempotencyKey },
      ),
    onDone: ({ id }) => {
      say(words.form.created)
      navigate(`${home}/${id}`)
    },
    changes: [['payment-services']],
  })
  return (
    <Layout
      title={words.form.createTitle(definition.display_name)}
      above={[
        { text: words.title, to: home },
        { text: words.catalogue.title, to: `${home}/new` },
      ]}
    >
      <PaymentServiceForm
        definition={definition}
        back={`${home}/new`}
        busy={create.isPending}
        error={create.error}
        onSubmit={(input) => create.mutate(input)}
      />
    </Layout>
  )
}
