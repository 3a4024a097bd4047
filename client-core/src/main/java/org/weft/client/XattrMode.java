package org.weft.client;

/** What {@link WeftFileSystem#setXattr} does where an attribute of the name is there, or is not. */
public enum XattrMode {
  /** It is made, or gets another value. */
  CREATE_OR_REPLACE,
  /** It is made; one that is there is an error (EXISTS). */
  CREATE_ONLY,
  /** It gets another value; one that is not there is an error (NOT_FOUND). */
  REPLACE_ONLY;

  org.weft.protocol.wire.XattrMode toMessage() {
    return switch (this) {
      case CREATE_OR_REPLACE -> org.weft.protocol.wire.XattrMode.CREATE_OR_REPLACE;
      case CREATE_ONLY -> org.weft.protocol.wire.XattrMode.CREATE_ONLY;
      case REPLACE_ONLY -> org.weft.protocol.wire.XattrMode.REPLACE_ONLY;
    };
  }
}
