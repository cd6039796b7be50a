import { expect, test } from 'vitest'
import { rootFieldNames } from './root-field-names.ts'

test.each([
  ['PositionInfo', 'positionInfo', 'positionInfos'],
  ['FloatingIncome', 'floatingIncome', 'floatingIncomes'],
  ['Category', 'category', 'categories'],
  ['Proxy', 'proxy', 'proxies'],
  ['Box', 'box', 'boxes'],
  ['Status', 'status', 'statuses'],
  ['Bus', 'bus', 'buses'],
  ['Analysis', 'analysis', 'analyses'],
  ['Index', 'index', 'indexes'],
  ['Data', 'data', 'datas'],
  ['UniswapDayData', 'uniswapDayData', 'uniswapDayDatas'],
  ['Person', 'person', 'persons'],
  ['Hero', 'hero', 'heros'],
  ['Metadata', 'metadata', 'metadata_collection'],
  ['News', 'news', 'news_collection'],
  ['UserStats', 'userStats', 'userStats_collection'],
  ['Series', 'series', 'series_collection'],
  ['USDCTransfer', 'usdctransfer', 'usdctransfers'],
  ['ERC20Token', 'erc20Token', 'erc20Tokens'],
  ['Pool_Hour', 'poolHour', 'poolHours'],
  ['Day', 'day', 'days'],
  ['Submatrix', 'submatrix', 'submatrices'],
  ['Salesperson', 'salesperson', 'salespersonople'],
  ['GrandChild', 'grandChild', 'grandChilds'],
  ['Grandchild', 'grandchild', 'grandchildren'],
  ['PoolABC', 'poolABC', 'poolABCs'],
])('default: %s is %s and %s', (name, singular, plural) => {
  expect(rootFieldNames(name)).toEqual({ singular, plural })
})
