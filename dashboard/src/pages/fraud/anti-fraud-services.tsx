import type { AntiFraudService } from '@railyard/client'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { useList } from '../../api/use-api.ts'
import { type Column, DataTable } from '../../parts/lists/data-table.tsx'
import { Empty } from '../../parts/messages/notice.tsx'
import { ButtonLink } from '../../parts/page/button.tsx'
import { Tag } from '../../parts/values/tag.tsx'
import { Time } from '../../parts/values/values.tsx'
import { useMay, useSignedIn } from '../../session/signed-in.ts'
import { fraudWords } from '../../words/connections/fraud.ts'
import { serviceFormWords } from '../../words/connections/service-form.ts'
import { TabIntro } from './tab-intro.tsx'

const words = fraudWords.services

export function AntiFraudServices(): ReactNode {
  const { account } = useSignedIn()
  const mayWrite = useMay('anti-fraud-services.write')
  const query = useList(['anti-fraud-services', 'list'], (api, cursor, signal) =>
    api.antiFraudServices.list({ cursor, limit: 50 }, { signal }).page(),
  )
  const href = ({ id }: AntiFraudService) => `/${account}/fraud/services/${id}`
  const columns: Column<AntiFraudService>[] = [
    {
      id: 'name',
      header: words.name,
      cell: (service) => (
        <Link to={href(service)} className="font-medium">
          {service.display_name}
        </Link>
      ),
    },
    {
      id: 'kind',
      header: words.kind,
      wide: true,
      cell: ({ anti_fraud_service_definition_id }) => anti_fraud_service_definition_id,
    },
    {
      id: 'state',
      header: words.state,
      cell: ({ active }) => (
        <Tag tone={active ? 'good' : 'warn'}>
          {active ? serviceFormWords.active : serviceFormWords.paused}
        </Tag>
      ),
    },
    { id: 'position', header: words.position, align: 'end', cell: ({ position }) => position },
    {
      id: 'updated',
      header: words.updated,
      align: 'end',
      wide: true,
      cell: ({ updated_at }) => <Time at={updated_at} />,
    },
  ]
  const connect = mayWrite && (
    <ButtonLink look="primary" to={`/${account}/fraud/services/new`}>
      {words.connect}
    </ButtonLink>
  )
  return (
    <>
      <TabIntro text={words.text}>{connect}</TabIntro>
      <DataTable
        label={words.title}
        columns={columns}
        query={query}
        rowId={({ id }) => id}
        href={href}
        empty={<Empty title={words.none}>{words.noneText}</Empty>}
      />
    </>
  )
}
