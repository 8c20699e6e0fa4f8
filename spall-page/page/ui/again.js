// Where the files are that a page has shown, so that a reload can open them again. Not every browser tells.

const DATABASE = 'trace-viewer', TABLE = 'files', KEY = 'last', MOST = 32;

/**
 * Does one thing with the table.
 * @param {IDBTransactionMode} mode
 * @param {(table: IDBObjectStore) => IDBRequest} work
 */
async function withTable(mode, work) {
  /**
   * @param {IDBRequest} request
   * @returns {Promise<any>}
   */
  const done = (request) => new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  const opening = indexedDB.open(DATABASE, 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore(TABLE);
  const database = /** @type {IDBDatabase} */ (await done(opening));
  try {
    return await done(work(database.transaction(TABLE, mode).objectStore(TABLE)));
  } finally {
    database.close();
  }
}

/** @returns {Promise<FileSystemFileHandle[]>} */
async function all() {
  return (await withTable('readonly', (table) => table.get(KEY))) ?? [];
}

/**
 * Keeps where these files are, and forgets the oldest of many.
 * @param {FileSystemFileHandle[]} files
 */
export async function remember(files) {
  const names = files.map(({ name }) => name);
  const others = (await all()).filter(({ name }) => !names.includes(name));
  await withTable('readwrite', (table) => table.put([...files, ...others].slice(0, MOST), KEY));
}

/**
 * Where the files of these names are, the last ones of these names; nothing unless all are known.
 * @param {string[]} names
 */
export async function known(names) {
  const files = names.length ? await all() : [];
  const found = names.flatMap((name) => files.find((file) => file.name === name) ?? []);
  return found.length === names.length ? found : [];
}
