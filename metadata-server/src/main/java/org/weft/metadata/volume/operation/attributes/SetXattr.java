package org.weft.metadata.volume.operation.attributes;

import com.google.protobuf.ByteString;
import com.google.protobuf.MessageLite;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.weft.metadata.acl.Credentials;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.volume.execution.Execution;
import org.weft.metadata.volume.execution.Operation;
import org.weft.metadata.volume.path.Names;
import org.weft.metadata.volume.path.NodePath;
import org.weft.metadata.volume.path.Permissions;
import org.weft.metadata.volume.state.NeedsInput;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.wire.Empty;
import org.weft.protocol.wire.XattrMode;

/**
 * Sets or removes one extended attribute. Those named "user." need write permission on the node, on
 * sticky directories its owner. All others need a superuser.
 *
 * @param remove it removes the attribute; value and mode are ignored then
 */
public record SetXattr(NodePath path, String name, ByteString value, XattrMode mode, boolean remove)
    implements Operation {
  static final String TRUSTED = "trusted.";
  private static final String USER = "user.";
  private static final List<String> NAME_SPACES = List.of(USER, TRUSTED, "security.", "system.");

  /** Longest name, name space included. */
  static final int MAX_NAME_BYTES = 255;

  /**
   * All attributes of a node stand in its attribute page of 64 KiB. A map of up to 1024 components,
   * names and a link's target stand there as well. This is what is left for all extended attributes
   * together.
   */
  public static final int MAX_BYTES_OF_NODE = 48 << 10;

  @Override
  public MessageLite execute(Execution on) throws NeedsInput, WeftException {
    checkName();
    Attributes node = on.walk().node(path);
    requireMayChange(node, on.credentials());
    SortedMap<String, ByteString> xattrs = new TreeMap<>(node.xattrs());
    change(xattrs);
    Attributes changed =
        node.edit().xattrs(xattrs).times(node.times().touched(on.dayNanos())).build();
    if (!remove && changed.extraBytes() > MAX_BYTES_OF_NODE) {
      throw new WeftException(
          ErrorCode.INVALID_ARGUMENT,
          path
              + ": extended attribute "
              + name
              + " of "
              + value.size()
              + " bytes does not fit: all of a file's together, and its ACLs, may have "
              + MAX_BYTES_OF_NODE
              + " bytes, names included, the others have "
              + node.edit().xattrs(without(node)).build().extraBytes());
    }
    on.draft().put(changed);
    return Empty.getDefaultInstance();
  }

  private SortedMap<String, ByteString> without(Attributes node) {
    SortedMap<String, ByteString> others = new TreeMap<>(node.xattrs());
    others.remove(name);
    return others;
  }

  private void change(SortedMap<String, ByteString> xattrs) throws WeftException {
    boolean known = xattrs.containsKey(name);
    boolean wantsOld = remove || mode == XattrMode.REPLACE_ONLY;
    if (wantsOld && !known) {
      throw new WeftException(ErrorCode.NOT_FOUND, path + " has no extended attribute " + name);
    }
    if (known && !remove && mode == XattrMode.CREATE_ONLY) {
      throw new WeftException(
          ErrorCode.EXISTS, path + " has an extended attribute " + name + " already");
    }
    if (remove) {
      xattrs.remove(name);
    } else {
      xattrs.put(name, value);
    }
  }

  private void checkName() throws WeftException {
    boolean known =
        NAME_SPACES.stream()
            .anyMatch(space -> name.startsWith(space) && name.length() > space.length());
    if (!known || name.indexOf('\0') >= 0) {
      throw new WeftException(
          ErrorCode.NAME_INVALID,
          "the name of an extended attribute begins with one of "
              + NAME_SPACES
              + " and goes on without NUL, got '"
              + Names.shown(name.replace('\0', '?'))
              + "'");
    }
    int bytes = Names.encode(name).remaining();
    if (bytes > MAX_NAME_BYTES) {
      throw new WeftException(
          ErrorCode.NAME_INVALID,
          "the name of an extended attribute has at most "
              + MAX_NAME_BYTES
              + " bytes, got "
              + bytes);
    }
    if (mode == XattrMode.UNRECOGNIZED) {
      throw new WeftException(ErrorCode.INVALID_ARGUMENT, "an unknown way to set an attribute");
    }
  }

  private void requireMayChange(Attributes node, Credentials credentials) throws WeftException {
    if (!name.startsWith(USER)) {
      if (!credentials.superuser()) {
        throw new WeftException(
            ErrorCode.PERMISSION_DENIED,
            "only a superuser may change "
                + name
                + " of "
                + path
                + ", not user "
                + credentials.user());
      }
    } else if (node.isDirectory() && (node.mode() & Permissions.STICKY) != 0) {
      Permissions.requireOwner(node, credentials, "change extended attributes of the sticky", path);
    } else {
      Permissions.require(node, credentials, Permissions.WRITE, path);
    }
  }
}
