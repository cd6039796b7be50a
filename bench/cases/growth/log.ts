import { openDatabase } from '@tallystick/database'
import { tileWidth } from '@tallystick/tlog'
import { benchLog, createSite, setBenchCurve } from '../../service.ts'
import { getOf, measureRestarted, type Sample } from './sample.ts'

// The address of the bench's signer: the set that the service logs needs no entry of a new signer.
const signer = '0x1a642f0E3c3aF545E7AcBD38b07251B3990914F1'

// Entries of a signer have one row and 230 bytes.
const fillEntries = `
  with lines as (
    select index, format('{"v":1,"type":"signer","salt":"%s","chainid":"324","from":"${signer}","to":"${signer}",'
      || '"why":"a new machine","at":"%s"}', lpad(to_hex(index), 32, '0'), 1700000000 + index) as line
    from generate_series(0, $1::int - 1) index),
  entries as (
    insert into log_entries (index, leaf_hash, entry, public_from)
    select index, sha256('\\x00'::bytea || convert_to(line, 'UTF8')), line, 0 from lines)
  insert into log_signers (log_index, chain_id, signer) select index, 324, '${signer}' from lines`

/** Measures the public log: its checkpoint, tiles of hashes, full entry bundles in turn, and the proof of the notes. */
export async function measureLog(count: number, url: string): Promise<Sample> {
  const site = createSite({ database: url, log: benchLog })
  setBenchCurve(site)
  const database = await openDatabase(url)
  await database.query(fillEntries, [count])
  // As autovacuum does within a minute.
  for (const table of ['log_entries', 'log_signers']) await database.query(`analyze ${table}`)
  await database.close()
  const tiles = Math.floor(count / tileWidth)
  // Consecutive requests are for tiles that are far apart.
  const tileOf = (level: string) => (index: number) => getOf(`/log/tile/${level}/${pathOf((index * 7_919) % tiles)}`)
  return measureRestarted(site, {
    checkpoint: getOf('/log/checkpoint'),
    tile: tileOf('0'),
    bundle: tileOf('entries'),
    proof: getOf('/log/proof?chainid=324'),
  })
}

function pathOf(index: number): string {
  const digits = String(index).padStart(6, '0')
  return index < 1_000 ? digits.slice(3) : `x${digits.slice(0, 3)}/${digits.slice(3)}`
}
