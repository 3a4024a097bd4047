package org.weft.hadoop;

import java.io.IOException;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import org.apache.hadoop.fs.PathIOException;
import org.apache.hadoop.fs.XAttrSetFlag;
import org.weft.client.WeftFiles;
import org.weft.client.WeftPath;
import org.weft.client.XattrMode;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;

/** Extended attributes: named with their name space, as in {@code user.origin}. */
final class Xattrs {
  private static final byte[] NO_VALUE = {};

  private final WeftFiles files;

  Xattrs(WeftFiles files) {
    this.files = files;
  }

  void set(WeftPath path, String name, byte[] value, EnumSet<XAttrSetFlag> flags)
      throws IOException {
    boolean create = flags.contains(XAttrSetFlag.CREATE);
    boolean replace = flags.contains(XAttrSetFlag.REPLACE);
    if (!create && !replace) {
      throw new IllegalArgumentException(
          "an extended attribute is set with CREATE, REPLACE or both, got none");
    }
    XattrMode mode =
        create && replace
            ? XattrMode.CREATE_OR_REPLACE
            : create ? XattrMode.CREATE_ONLY : XattrMode.REPLACE_ONLY;
    try {
      files.setXattr(path, name, value == null ? NO_VALUE : value, mode);
    } catch (WeftException e) {
      throw named(e, path);
    }
  }

  /** One that is missing is an error, as in HDFS. */
  byte[] get(WeftPath path, String name) throws IOException {
    byte[] value = files.xattrs(path).get(name);
    if (value == null) {
      throw missing(path, name);
    }
    return value;
  }

  Map<String, byte[]> named(WeftPath path, List<String> names) throws IOException {
    SortedMap<String, byte[]> all = files.xattrs(path);
    Map<String, byte[]> wanted = new LinkedHashMap<>();
    for (String name : names) {
      byte[] value = all.get(name);
      if (value == null) {
        throw missing(path, name);
      }
      wanted.put(name, value);
    }
    return wanted;
  }

  void remove(WeftPath path, String name) throws IOException {
    try {
      files.removeXattr(path, name);
    } catch (WeftException e) {
      throw named(e, path);
    }
  }

  /** EXISTS and NOT_FOUND may speak of the attribute, where Hadoop wants a plain IOException. */
  private IOException named(WeftException refusal, WeftPath path) throws IOException {
    boolean ofAttribute =
        refusal.code() == ErrorCode.EXISTS
            || (refusal.code() == ErrorCode.NOT_FOUND && files.find(path).isPresent());
    return ofAttribute
        ? new PathIOException(path.toString(), refusal.getMessage(), refusal)
        : refusal;
  }

  private static IOException missing(WeftPath path, String name) {
    return new PathIOException(path.toString(), "has no extended attribute " + name);
  }
}
