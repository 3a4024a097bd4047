package org.weft.nfs.v3;

import org.weft.nfs.oncrpc.XdrWriter;

/** A part of a result that several procedures have. */
interface ResultPart {
  void write(XdrWriter out);
}
