// Reads a description of a package from stdin, and prints its bill of materials in CycloneDX's JSON. The same input gives the
// same bytes: no random serial number, the time of the commit, sorted lists. Runs in this folder, which has the library.
import { text } from 'node:stream/consumers'
import { Enums, Models, Serialize, Spec } from '@cyclonedx/cyclonedx-library'
import { PackageURL } from 'packageurl-js'
import parseExpression from 'spdx-expression-parse'

const {
  name,
  version,
  kind = 'application',
  epochSeconds,
  components,
  images = [],
} = JSON.parse(await text(process.stdin))

const bom = new Models.Bom()
bom.metadata.timestamp = new Date(epochSeconds * 1000)
bom.metadata.component = new Models.Component(kind, name, {
  version,
  bomRef: `${name}@${version}`,
  licenses: new Models.LicenseRepository([new Models.SpdxLicense('Apache-2.0')]),
})
const all = [...components.map(describePackage), ...images.map(describeImage)]
for (const component of all) {
  bom.components.add(component)
  bom.metadata.component.dependencies.add(component.bomRef)
}
const serializer = new Serialize.JsonSerializer(new Serialize.JSON.Normalize.Factory(Spec.Spec1dot6))
process.stdout.write(`${serializer.serialize(bom, { sortLists: true, space: 2 })}\n`)

function describePackage({ name: fullName, version: release, license, integrity }) {
  const [, group, own] = /^(?:(@[^/]+)\/)?(.+)$/.exec(fullName)
  const purl = new PackageURL('npm', group, own, release, undefined, undefined).toString()
  const component = new Models.Component(Enums.ComponentType.Library, own, {
    group,
    version: release,
    purl,
    bomRef: purl,
    licenses: new Models.LicenseRepository([describeLicense(license)]),
  })
  // The lock file has the hash of the archive that npm installed.
  if (integrity?.startsWith('sha512-')) {
    const hash = Buffer.from(integrity.slice('sha512-'.length), 'base64').toString('hex')
    component.hashes.set(Enums.HashAlgorithm['SHA-512'], hash)
  }
  return component
}

function describeImage({ name: image, tag, digest }) {
  return new Models.Component(Enums.ComponentType.Container, image, {
    version: tag,
    bomRef: `${image}@${digest}`,
    hashes: new Models.HashDictionary([[Enums.HashAlgorithm['SHA-256'], digest.replace('sha256:', '')]]),
  })
}

function describeLicense(license) {
  try {
    const parsed = parseExpression(license)
    return 'license' in parsed && !parsed.plus
      ? new Models.SpdxLicense(parsed.license)
      : new Models.LicenseExpression(license)
  } catch {
    // Not an expression of SPDX, such as "SEE LICENSE IN file".
    return new Models.NamedLicense(license)
  }
}
