package org.weft.client;

import org.weft.protocol.wire.FileAttributes;
import org.weft.protocol.wire.Grant;

/** Makes the ends between which the bytes of a file travel, from what the manager granted. */
interface FileData {
  /** For a file that has just been created, or cut to nothing. */
  FileSink sink(FileAttributes attributes, Grant grant);

  FileSource source(FileAttributes attributes, Grant grant);
}
