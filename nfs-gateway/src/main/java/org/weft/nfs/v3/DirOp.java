package org.weft.nfs.v3;

import org.weft.nfs.files.FileException;
import org.weft.nfs.files.FileName;
import org.weft.nfs.oncrpc.MalformedXdrException;
import org.weft.nfs.oncrpc.XdrReader;

/**
 * diropargs3, RFC 1813 section 2.6: a name in a directory. The handle and the name are unchecked; a
 * status reports what is wrong with them.
 */
record DirOp(byte[] directory, byte[] nameBytes) {
  /** nfs_fh3. */
  static final int MAX_HANDLE_BYTES = 64;

  /** More than the longest name, so that one that is too long gets NAMETOOLONG. */
  private static final int MAX_NAME_BYTES = 4_096;

  static DirOp read(XdrReader in) throws MalformedXdrException {
    return new DirOp(handle(in), in.opaque(MAX_NAME_BYTES));
  }

  static byte[] handle(XdrReader in) throws MalformedXdrException {
    return in.opaque(MAX_HANDLE_BYTES);
  }

  /**
   * @throws FileException if that is no name of an entry
   */
  FileName name() throws FileException {
    return FileName.of(nameBytes);
  }
}
