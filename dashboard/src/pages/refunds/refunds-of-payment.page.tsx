import type { ReactNode } from 'react'
import { useParams } from 'react-router'
import { ButtonLink } from '../../parts/page/button.tsx'
import { Card, Page as Layout } from '../../parts/page/layout.tsx'
import { Loaded } from '../../parts/page/loaded.tsx'
import { useSignedIn } from '../../session/signed-in.ts'
import { refundWords as words } from '../../words/payments/refunds.ts'
import { RefundTable } from './refund-table.tsx'
import { useRefundsOf } from './use-refunds-of.ts'

export function Page(): ReactNode {
  const { id = '' } = useParams()
  const { account } = useSignedIn()
  const query = useRefundsOf(id)
  return (
    <Layout
      title={words.refundsOf}
      above={[{ text: words.title, to: `/${account}/refunds` }]}
      actions={<ButtonLink to={`/${account}/payments/${id}`}>{words.toPayment}</ButtonLink>}
    >
      <Card>
        <Loaded query={query}>
          {(refunds) => <RefundTable label={words.refundsOf} refunds={refunds} empty={words.noRefunds} />}
        </Loaded>
      </Card>
    </Layout>
  )
}
