package org.weft.metadata.volume.operation.attributes;

import com.google.protobuf.MessageLite;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.weft.metadata.acl.Credentials;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.attributes.AttributesBuilder;
import org.weft.metadata.attributes.Times;
import org.weft.metadata.volume.execution.Execution;
import org.weft.metadata.volume.execution.Operation;
import org.weft.metadata.volume.operation.Replies;
import org.weft.metadata.volume.path.NodePath;
import org.weft.metadata.volume.path.Permissions;
import org.weft.metadata.volume.state.NeedsInput;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;

/**
 * Changes mode, owner, group or times; empty fields stay. The mode and the times are the owner's to
 * change. So is the group, if the owner is in the new one. The owner is a superuser's alone to
 * change. Setting times to {@link #NOW_MILLIS} alone, the manager's time of day, takes only write
 * permission.
 */
public record SetAttributes(
    NodePath path,
    OptionalInt mode,
    Optional<String> owner,
    Optional<String> group,
    OptionalLong mtimeMillis,
    OptionalLong atimeMillis)
    implements Operation {
  /** Stands for the manager's time of day. */
  public static final long NOW_MILLIS = Long.MIN_VALUE;

  @Override
  public MessageLite execute(Execution on) throws NeedsInput, WeftException {
    Attributes node = on.walk().node(path);
    on.requireLength(node.object());
    boolean nothing =
        mode.isEmpty()
            && owner.isEmpty()
            && group.isEmpty()
            && mtimeMillis.isEmpty()
            && atimeMillis.isEmpty();
    if (nothing) {
      return Replies.attributes(node);
    }
    Credentials credentials = on.credentials();
    if (onlyTouches() && !credentials.user().equals(node.owner())) {
      Permissions.require(node, credentials, Permissions.WRITE, path);
    } else {
      Permissions.requireOwner(node, credentials, "change", path);
    }
    requireMayChown(node, credentials);
    AttributesBuilder changed = node.edit();
    String newGroup = group.orElse(node.group());
    changed.owner(owner.orElse(node.owner())).group(newGroup);
    changed.mode(newMode(node, newGroup, credentials)).createVerifier(OptionalLong.empty());
    changed.times(
        new Times(
            time(mtimeMillis, node.times().mtimeNanos(), on),
            node.times().after(on.dayNanos()),
            time(atimeMillis, node.times().atimeNanos(), on)));
    return Replies.attributes(on.draft().put(changed.build()));
  }

  private static long time(OptionalLong wanted, long oldNanos, Execution on) {
    if (wanted.isEmpty()) {
      return oldNanos;
    }
    long millis = wanted.getAsLong();
    return millis == NOW_MILLIS ? on.dayNanos() : Times.nanos(millis);
  }

  /** Times are set to now, and nothing else is changed. */
  private boolean onlyTouches() {
    return mode.isEmpty()
        && owner.isEmpty()
        && group.isEmpty()
        && mtimeMillis.orElse(NOW_MILLIS) == NOW_MILLIS
        && atimeMillis.orElse(NOW_MILLIS) == NOW_MILLIS;
  }

  private void requireMayChown(Attributes node, Credentials credentials) throws WeftException {
    if (credentials.superuser()) {
      return;
    }
    if (owner.isPresent() && !owner.get().equals(node.owner())) {
      throw new WeftException(
          ErrorCode.PERMISSION_DENIED,
          "only a superuser may give " + path + " to user " + owner.get());
    }
    if (group.isPresent() && !group.get().equals(node.group()) && !credentials.in(group.get())) {
      throw new WeftException(
          ErrorCode.PERMISSION_DENIED,
          "user "
              + credentials.user()
              + " is not in group "
              + group.get()
              + " and so may not give it "
              + path);
    }
  }

  private int newMode(Attributes node, String newGroup, Credentials credentials)
      throws WeftException {
    if (mode.isEmpty()) {
      boolean chown = owner.isPresent() || group.isPresent();
      return chown && !node.isDirectory()
          ? Permissions.withoutRightsOfOthers(node.mode())
          : node.mode();
    }
    int wanted = mode.getAsInt();
    if ((wanted & ~Attributes.MODE_BITS) != 0) {
      throw new WeftException(
          ErrorCode.INVALID_ARGUMENT,
          "a mode has the bits 07777, got 0" + Integer.toOctalString(wanted));
    }
    return node.isDirectory()
        ? wanted
        : Permissions.withoutForeignSetgid(wanted, newGroup, credentials);
  }
}
