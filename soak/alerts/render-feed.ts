/** Row of the Treasury's feed: bank discounts in percent, as printed, by weeks. */
export type TreasuryRow = { readonly date: string; readonly bills: Readonly<Record<number, string>> }

/** Renders rows as the Treasury publishes them. */
export function renderFeed(rows: readonly TreasuryRow[]): string {
  return `<?xml version="1.0" encoding="utf-8" standalone="yes" ?>
<feed xml:base="http://data.treasury.gov/Feed.svc/"
  xmlns:d="http://schemas.microsoft.com/ado/2007/08/dataservices"
  xmlns:m="http://schemas.microsoft.com/ado/2007/08/dataservices/metadata"
  xmlns="http://www.w3.org/2005/Atom">
<title type="text">DailyTreasuryBillRateData</title>
${rows.map(renderRow).join('\n')}
</feed>
`
}

function renderRow({ date, bills }: TreasuryRow): string {
  const columns = Object.entries(bills).map(
    ([weeks, rate]) => `<d:ROUND_B1_CLOSE_${weeks}WK_2 m:type="Edm.Double">${rate}</d:ROUND_B1_CLOSE_${weeks}WK_2>`,
  )
  return `<entry><id>http://data.treasury.gov/row</id><content type="application/xml"><m:properties>
  <d:INDEX_DATE m:type="Edm.DateTime">${date}T00:00:00</d:INDEX_DATE>
  ${columns.join('\n  ')}</m:properties></content></entry>`
}
