package org.weft.metadata.acl;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.TreeMap;
import org.weft.protocol.wire.AclMessage;
import org.weft.protocol.wire.FileAttributes;
import org.weft.protocol.wire.NamedRightsMessage;

/** Between {@link Acls} and the schema. An empty list takes no byte. */
public final class AclCodec {
  private AclCodec() {}

  /** Adds what there is. */
  public static void write(Acls acls, FileAttributes.Builder message) {
    acls.access().ifPresent(bounded -> message.setAccessAcl(bounded(bounded)));
    acls.defaults()
        .ifPresent(
            acl -> {
              AclMessage.Builder said = bounded(acl.bounded());
              acl.mask().ifPresent(said::setMask);
              message.setDefaultAcl(said.setOwner(acl.owner()).setOther(acl.other()));
            });
  }

  /** Reads what there is; what breaks a rule is an {@link IllegalArgumentException}. */
  public static Acls read(FileAttributes message) {
    if (!message.hasAccessAcl() && !message.hasDefaultAcl()) {
      return Acls.NONE;
    }
    return new Acls(
        message.hasAccessAcl() ? Optional.of(bounded(message.getAccessAcl())) : Optional.empty(),
        message.hasDefaultAcl() ? Optional.of(whole(message.getDefaultAcl())) : Optional.empty());
  }

  private static AclMessage.Builder bounded(BoundedEntries entries) {
    AclMessage.Builder message = AclMessage.newBuilder().setGroup(entries.group());
    entries
        .users()
        .forEach(
            (name, rights) ->
                message.addNamedUser(
                    NamedRightsMessage.newBuilder().setName(name).setRights(rights)));
    entries
        .groups()
        .forEach(
            (name, rights) ->
                message.addNamedGroup(
                    NamedRightsMessage.newBuilder().setName(name).setRights(rights)));
    return message;
  }

  private static BoundedEntries bounded(AclMessage message) {
    return new BoundedEntries(
        message.getGroup(), named(message.getNamedUserList()), named(message.getNamedGroupList()));
  }

  private static Acl whole(AclMessage message) {
    OptionalInt mask = message.hasMask() ? OptionalInt.of(message.getMask()) : OptionalInt.empty();
    return new Acl(message.getOwner(), bounded(message), mask, message.getOther());
  }

  private static SortedMap<String, Integer> named(List<NamedRightsMessage> messages) {
    SortedMap<String, Integer> named = new TreeMap<>();
    messages.forEach(message -> named.put(message.getName(), message.getRights()));
    return named;
  }
}
