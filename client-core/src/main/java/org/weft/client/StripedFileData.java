package org.weft.client;

import org.weft.client.cluster.Replies;
import org.weft.protocol.rpc.ErrorCode;
import org.weft.protocol.wire.FileAttributes;
import org.weft.protocol.wire.Grant;

/** Carries the bytes of files in stripes over OSDs. */
final class StripedFileData implements FileData {
  @Override
  public FileSink sink(FileAttributes attributes, Grant grant) {
    throw Replies.failure(ErrorCode.UNSUPPORTED, "writing files comes with the stripe engine");
  }

  @Override
  public FileSource source(FileAttributes attributes, Grant grant) {
    throw Replies.failure(ErrorCode.UNSUPPORTED, "reading files comes with the stripe engine");
  }
}
