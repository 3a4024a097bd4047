package org.weft.metadata.volume.operation.salvage;

import com.google.protobuf.ByteString;
import com.google.protobuf.MessageLite;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.weft.metadata.acl.Credentials;
import org.weft.metadata.attributes.Attributes;
import org.weft.metadata.attributes.NodeKind;
import org.weft.metadata.attributes.ParentHint;
import org.weft.metadata.attributes.Times;
import org.weft.metadata.directory.DirectoryEntry;
import org.weft.metadata.directory.HashKey;
import org.weft.metadata.volume.execution.Execution;
import org.weft.metadata.volume.execution.Operation;
import org.weft.metadata.volume.operation.name.Nodes;
import org.weft.metadata.volume.state.NeedsInput;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.wire.Empty;

/**
 * The manager's own, when it recovers a volume from its OSDs (P 6.8e). A node that no name leads to
 * gets its number as a name in {@code /lost+found}, which is the superuser's alone. Owner, mode,
 * times and bytes stay as they are. The name and the directory that it had last stand in its
 * extended attribute {@value #LAST_NAME}, as far as they are known.
 *
 * @param returns it gets the name that its attributes give, if that is free: the directory began
 *     anew ({@link RemakeDirectory})
 */
public record AdoptNameless(ObjectId object, boolean returns) implements Operation {
  public static final String DIRECTORY = "lost+found";
  public static final String LAST_NAME = "trusted.weft.last-name";

  private static final int MODE = 0700;
  private static final int WRITE_OF_OTHERS = 0022;
  private static final int DIRECTORY_LINKS = 2;

  /** Without a name where it was before. */
  public AdoptNameless(ObjectId object) {
    this(object, false);
  }

  @Override
  public MessageLite execute(Execution on) throws NeedsInput, WeftException {
    Attributes node = on.view().attributes(object, List.of(), "object " + object);
    if (returns) {
      ParentHint hint = node.parent();
      Attributes before = on.view().attributes(hint.directory(), List.of(), "its directory");
      if (on.view().lookup(hint.directory(), hint.name()).isEmpty()) {
        new Nodes(on).link(before, hint.name(), node);
        return Empty.getDefaultInstance();
      }
    }
    Attributes found = directory(on);
    if (isThere(on, node, found)) {
      return Empty.getDefaultInstance();
    }
    String name = free(on, found, object.toString());
    SortedMap<String, ByteString> xattrs = new TreeMap<>(node.xattrs());
    boolean wasAdopted =
        xattrs.containsKey(LAST_NAME) && node.parent().name().startsWith(object.toString());
    if (!wasAdopted && !node.parent().name().isEmpty() && !node.parent().equals(ParentHint.MANY)) {
      xattrs.put(
          LAST_NAME,
          ByteString.copyFromUtf8(node.parent().directory() + "/" + node.parent().name()));
    }
    Attributes named =
        on.draft()
            .put(
                node.edit()
                    .parent(new ParentHint(found.object(), name))
                    .links(node.isDirectory() ? node.links() : 1)
                    .xattrs(xattrs)
                    .build());
    new Nodes(on).link(found, name, named);
    return Empty.getDefaultInstance();
  }

  /** By an attempt before. */
  private static boolean isThere(Execution on, Attributes node, Attributes found)
      throws NeedsInput {
    String name = node.parent().name();
    return node.parent().directory().equals(found.object())
        && on.view()
            .lookup(found.object(), name)
            .filter(entry -> entry.object().equals(node.object()))
            .isPresent();
  }

  /** Another name where something else stands. */
  private static String free(Execution on, Attributes directory, String wanted) throws NeedsInput {
    String name = wanted;
    for (int next = 1; on.view().lookup(directory.object(), name).isPresent(); next++) {
      name = wanted + "-" + next;
    }
    return name;
  }

  private static Attributes directory(Execution on) throws NeedsInput, WeftException {
    Attributes root = on.view().attributes(ObjectId.ROOT, List.of(), "the root directory");
    String name = DIRECTORY;
    for (int next = 1; ; next++) {
      Optional<DirectoryEntry> there = on.view().lookup(ObjectId.ROOT, name);
      if (there.isEmpty()) {
        return made(on, root, name);
      }
      if (there.get().kind() == NodeKind.DIRECTORY) {
        Attributes directory = on.view().attributes(there.get(), "/" + name);
        if (isSuperusers(on, directory)) {
          return directory;
        }
      }
      name = DIRECTORY + "-" + next;
    }
  }

  /** In another one its owner would have the names of what is others'. */
  private static boolean isSuperusers(Execution on, Attributes directory) {
    return directory.owner().equals(on.settings().superuser())
        && (directory.mode() & WRITE_OF_OTHERS) == 0;
  }

  private static Attributes made(Execution on, Attributes root, String name) throws WeftException {
    on.counters().addFiles(1);
    Attributes made =
        on.draft()
            .put(
                Attributes.create(
                        on.counters().drawObject(), NodeKind.DIRECTORY, on.placement().directory())
                    .mode(MODE)
                    .owner(on.settings().superuser())
                    .group(Credentials.SUPERGROUP)
                    .times(Times.of(on.dayNanos()))
                    .links(DIRECTORY_LINKS)
                    .parent(new ParentHint(ObjectId.ROOT, name))
                    .quotaTree(root.quotaTree())
                    .build());
    on.draft().createDirectory(made.object(), HashKey.draw(on.random()));
    new Nodes(on).link(root, name, made);
    return made;
  }
}
