import type { ReactNode } from 'react'
import { useSearchParams } from 'react-router'
import { Card, Page as Layout } from '../../parts/page/layout.tsx'
import { TabLinks } from '../../parts/page/tabs.tsx'
import { useMay, useSignedIn } from '../../session/signed-in.ts'
import { sandboxWords as words } from '../../words/developers/sandbox.ts'
import { ClockTab } from './clock-tab.tsx'
import { FaultsTab } from './faults-tab.tsx'
import { PaymentTab } from './payment-tab.tsx'

export function Page(): ReactNode {
  const { account } = useSignedIn()
  const mayPay = useMay('transactions.write')
  const mayBreak = useMay('payment-services.write')
  const [params] = useSearchParams()
  const tabs = [
    ...(mayPay ? (['payment'] as const) : []),
    ...(mayBreak ? (['faults'] as const) : []),
    'clock' as const,
    'amounts' as const,
  ]
  const tab = tabs.find((each) => each === params.get('tab')) ?? tabs[0]
  return (
    <Layout title={words.title}>
      <TabLinks
        label={words.title}
        tabs={tabs.map((each) => ({
          text: words.tabs[each],
          to: `/${account}/sandbox?tab=${each}`,
          current: each === tab,
        }))}
      />
      {tab === 'payment' && <PaymentTab />}
      {tab === 'faults' && <FaultsTab />}
      {tab === 'clock' && <ClockTab />}
      {tab === 'amounts' && <AmountsTab />}
    </Layout>
  )
}

const AmountsTab = (): ReactNode => (
  <div className="grid items-start gap-x-6 lg:grid-cols-2">
    <Card title={words.amounts.title}>
      <p className="mb-3 text-sm text-ink-2">{words.amounts.text}</p>
      <Pairs
        name={words.amounts.title}
        heads={[words.amounts.amount, words.amounts.result]}
        rows={words.amounts.list}
      />
    </Card>
    <div>
      <Card title={words.amounts.cards}>
        <Pairs
          name={words.amounts.cards}
          heads={[words.amounts.card, words.amounts.result]}
          rows={words.amounts.cardList}
        />
      </Card>
      <Card title={words.amounts.checks}>
        <Pairs
          name={words.amounts.checks}
          heads={[words.amounts.field, words.amounts.result]}
          rows={words.amounts.checkList}
        />
      </Card>
    </div>
  </div>
)

const Pairs = ({
  name,
  heads,
  rows,
}: {
  name: string
  heads: readonly [string, string]
  rows: readonly (readonly [string, string])[]
}): ReactNode => (
  <table className="w-full text-sm">
    <caption className="sr-only">{name}</caption>
    <thead>
      <tr className="text-left text-xs text-ink-3">
        {heads.map((head) => (
          <th key={head} scope="col" className="pr-3 pb-1 font-medium">
            {head}
          </th>
        ))}
      </tr>
    </thead>
    <tbody>
      {rows.map(([key, text]) => (
        <tr key={key} className="align-top">
          <td className="border-t border-line py-1.5 pr-3 font-mono">{key}</td>
          <td className="border-t border-line py-1.5">{text}</td>
        </tr>
      ))}
    </tbody>
  </table>
)
