package org.weft.nfs.model;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.weft.client.ids.Answers;
import org.weft.client.ids.AttributesWish;
import org.weft.client.ids.CreateWish;
import org.weft.client.ids.NewNode;
import org.weft.client.ids.NodeAttributes;
import org.weft.client.ids.NodeChange;
import org.weft.client.ids.NodeId;
import org.weft.client.ids.NodeType;
import org.weft.client.ids.OnBehalfOf;
import org.weft.nfs.files.AccessRight;
import org.weft.nfs.files.FileError;
import org.weft.nfs.files.FileException;
import org.weft.nfs.files.FileName;
import org.weft.nfs.files.FileReply;
import org.weft.nfs.files.FileService;
import org.weft.nfs.files.Request;
import org.weft.nfs.files.ServiceLimits;
import org.weft.nfs.files.Stability;
import org.weft.nfs.files.Touched;
import org.weft.protocol.rpc.Payload;

/** The operations of the model. */
public final class ModelFileService extends ModelFiles implements FileService {
  private static final int SETGID = 02000;

  private final ServiceLimits limits;
  private final AtomicInteger unreleased = new AtomicInteger();

  public ModelFileService() {
    this(1L << 30);
  }

  public ModelFileService(long mostFileBytes) {
    this.limits = new ServiceLimits(1 << 20, 1 << 20, 64 << 10, 64 << 10, mostFileBytes, 1_000);
  }

  @Override
  public ServiceLimits limits() {
    return limits;
  }

  public NodeId root() {
    return NodeId.of(VOLUME, 1);
  }

  @Override
  public CompletionStage<NodeAttributes> attributes(Request by, NodeId file) {
    return step(() -> node(file).attributes());
  }

  @Override
  public CompletionStage<NodeChange> setAttributes(
      Request by, NodeId file, AttributesWish change, OptionalLong guardNanos) {
    return step(
        () -> {
          ModelNode node = node(file);
          NodeAttributes before = node.attributes();
          try {
            if (guardNanos.isPresent() && guardNanos.getAsLong() != node.ctimeNanos) {
              throw new FileException(FileError.GUARD_FAILED, file + " has changed");
            }
            ModelRights.requireChange(by.caller(), node, change);
            requireLength(change);
          } catch (FileException e) {
            throw new FileException(e.error(), e.getMessage(), Touched.node(before));
          }
          apply(node, change);
          boolean chown = change.owner().isPresent() || change.group().isPresent();
          if (chown) {
            ModelRights.afterChown(node);
          } else if (change.sizeBytes().isPresent() && change.mode().isEmpty()) {
            ModelRights.afterWrite(by.caller(), node);
          }
          // A directory that is setgid runs nothing: its owner may say so, whatever its group.
          boolean inGroup = node.isDirectory() || by.caller().groups().contains(node.group);
          if (change.mode().isPresent() && !inGroup && !by.caller().superuser()) {
            node.mode &= ~SETGID;
          }
          return NodeChange.of(before, node.attributes());
        });
  }

  private void requireLength(AttributesWish change) throws FileException {
    if (change.sizeBytes().orElse(0) > limits.mostFileBytes()) {
      throw new FileException(FileError.TOO_LARGE, "too long for a file");
    }
  }

  @Override
  public CompletionStage<Answers.Found> lookUp(Request by, NodeId id, FileName name) {
    return step(
        () -> {
          ModelNode directory = directory(id);
          ModelRights.require(by.caller(), directory, ModelRights.EXECUTE);
          return new Answers.Found(child(directory, name).attributes(), directory.attributes());
        });
  }

  @Override
  public CompletionStage<Answers.Found> parent(Request by, NodeId id) {
    return step(
        () -> {
          ModelNode directory = directory(id);
          ModelRights.require(by.caller(), directory, ModelRights.EXECUTE);
          return new Answers.Found(node(directory.parent).attributes(), directory.attributes());
        });
  }

  private ModelNode child(ModelNode directory, FileName name) throws FileException {
    ModelNode.Name entry = directory.names.get(name.value());
    if (entry == null) {
      throw new FileException(
          FileError.NOT_FOUND,
          name + " is not in " + directory.id,
          Touched.directory(directory.attributes()));
    }
    return node(entry.id());
  }

  @Override
  public CompletionStage<FileReply.Granted> access(
      Request by, NodeId file, Set<AccessRight> wanted) {
    return step(
        () -> {
          ModelNode node = node(file);
          Set<AccessRight> granted = EnumSet.noneOf(AccessRight.class);
          for (AccessRight right : wanted) {
            if (has(by.caller(), node, right)) {
              granted.add(right);
            }
          }
          return new FileReply.Granted(granted, node.attributes());
        });
  }

  private static boolean has(OnBehalfOf caller, ModelNode node, AccessRight right) {
    return switch (right) {
      case READ -> ModelRights.has(caller, node, ModelRights.READ);
      case LOOK_UP -> node.isDirectory() && ModelRights.has(caller, node, ModelRights.EXECUTE);
      case MODIFY, EXTEND -> ModelRights.has(caller, node, ModelRights.WRITE);
      case DELETE -> node.isDirectory() && ModelRights.has(caller, node, ModelRights.WRITE);
      case EXECUTE -> !node.isDirectory() && ModelRights.has(caller, node, ModelRights.EXECUTE);
    };
  }

  @Override
  public CompletionStage<NodeAttributes> readLink(Request by, NodeId link) {
    return step(
        () -> {
          ModelNode node = node(link);
          if (node.type != NodeType.SYMLINK) {
            throw new FileException(
                FileError.INVALID, link + " is no link", Touched.node(node.attributes()));
          }
          return node.attributes();
        });
  }

  private ModelNode regular(NodeId file) throws FileException {
    ModelNode node = node(file);
    if (node.type != NodeType.FILE) {
      throw new FileException(
          node.isDirectory() ? FileError.IS_DIRECTORY : FileError.INVALID,
          file + " is no regular file",
          Touched.node(node.attributes()));
    }
    return node;
  }

  @Override
  public CompletionStage<Answers.BytesRead> read(
      Request by, NodeId file, long offsetBytes, int countBytes) {
    return step(
        () -> {
          ModelNode node = regular(file);
          ModelRights.requireData(by.caller(), node, ModelRights.READ);
          byte[] bytes = node.content().read(offsetBytes, countBytes);
          boolean atEnd = node.content().length() - bytes.length <= offsetBytes;
          return new Answers.BytesRead(payload(ByteBuffer.wrap(bytes)), atEnd, node.attributes());
        });
  }

  /** Bytes that the receiver has to release. */
  private Payload payload(ByteBuffer bytes) {
    unreleased.incrementAndGet();
    return Payload.of(List.of(bytes), unreleased::decrementAndGet);
  }

  /** Payloads that were read and not released yet. */
  public int unreleased() {
    return unreleased.get();
  }

  @Override
  public CompletionStage<FileReply.Written> write(
      Request by, NodeId file, long offsetBytes, Payload payload, Stability stability) {
    return step(
        () -> {
          try {
            ModelNode node = regular(file);
            ModelRights.requireData(by.caller(), node, ModelRights.WRITE);
            NodeAttributes before = node.attributes();
            if (payload.lengthBytes() > 0) {
              node.content().write(offsetBytes, bytes(payload));
              ModelRights.afterWrite(by.caller(), node);
              modified(node);
            }
            if (stability != Stability.UNSTABLE) {
              node.sync();
            }
            return new FileReply.Written(
                payload.lengthBytes(),
                stability == Stability.UNSTABLE ? Stability.UNSTABLE : Stability.FILE,
                verifier(),
                NodeChange.of(before, node.attributes()));
          } finally {
            payload.release();
          }
        });
  }

  private static byte[] bytes(Payload payload) {
    ByteBuffer all = ByteBuffer.allocate(payload.lengthBytes());
    payload.buffers().forEach(all::put);
    return all.array();
  }

  @Override
  public CompletionStage<FileReply.Committed> commit(
      Request by, NodeId file, long offsetBytes, long countBytes) {
    return step(
        () -> {
          ModelNode node = regular(file);
          ModelRights.requireData(by.caller(), node, ModelRights.WRITE);
          node.sync();
          return new FileReply.Committed(verifier(), NodeChange.unchanged(node.attributes()));
        });
  }

  // Names.

  @Override
  public CompletionStage<Answers.Made> create(
      Request by, NodeId id, FileName name, CreateWish mode) {
    return step(
        () -> {
          ModelNode directory = directory(id);
          ModelRights.require(by.caller(), directory, ModelRights.EXECUTE);
          ModelNode.Name there = directory.names.get(name.value());
          if (there != null) {
            return taken(by, directory, node(there.id()), mode);
          }
          AttributesWish attributes =
              mode instanceof CreateWish.Unchecked unchecked
                  ? unchecked.attributes()
                  : mode instanceof CreateWish.Guarded guarded
                      ? guarded.attributes()
                      : AttributesWish.NOTHING;
          Answers.Made made = add(by, directory, name, NodeType.FILE, 0644, attributes);
          if (mode instanceof CreateWish.Exclusive exclusive) {
            node(made.node().id()).exclusive = OptionalLong.of(exclusive.verifier());
          }
          return made;
        });
  }

  private Answers.Made taken(Request by, ModelNode directory, ModelNode node, CreateWish mode)
      throws FileException {
    boolean repeated =
        mode instanceof CreateWish.Exclusive exclusive
            && node.exclusive.equals(OptionalLong.of(exclusive.verifier()));
    boolean open = mode instanceof CreateWish.Unchecked && node.type == NodeType.FILE;
    if (!repeated && !open) {
      throw exists(directory);
    }
    if (mode instanceof CreateWish.Unchecked unchecked
        && unchecked.attributes().sizeBytes().isPresent()) {
      ModelRights.requireData(by.caller(), node, ModelRights.WRITE);
      requireLength(unchecked.attributes());
      node.resize(unchecked.attributes().sizeBytes().getAsLong());
      ModelRights.afterWrite(by.caller(), node);
      modified(node);
    }
    return new Answers.Made(node.attributes(), NodeChange.unchanged(directory.attributes()), false);
  }

  private static FileException exists(ModelNode directory) {
    return new FileException(
        FileError.EXISTS, "it is there already", Touched.directory(directory.attributes()));
  }

  /** Makes a node whose name is not there yet. */
  private Answers.Made add(
      Request by,
      ModelNode directory,
      FileName name,
      NodeType type,
      int usualMode,
      AttributesWish attributes)
      throws FileException {
    ModelRights.require(by.caller(), directory, ModelRights.WRITE | ModelRights.EXECUTE);
    requireLength(attributes);
    NodeAttributes before = directory.attributes();
    boolean inherits = (directory.mode & SETGID) != 0;
    ModelNode node =
        newNode(
            directory.id,
            type,
            attributes.mode().orElse(usualMode),
            by.caller().user(),
            inherits ? directory.group : by.caller().groups().get(0));
    AttributesWish rest =
        new AttributesWish(
            attributes.mode(),
            by.caller().superuser() ? attributes.owner() : Optional.empty(),
            by.caller().superuser() ? attributes.group() : Optional.empty(),
            type == NodeType.FILE ? attributes.sizeBytes() : OptionalLong.empty(),
            attributes.atime(),
            attributes.mtime());
    apply(node, rest);
    if (type == NodeType.DIRECTORY) {
      node.links = 2;
      node.parent = directory.id;
      directory.links++;
      node.mode |= inherits ? SETGID : 0;
    }
    directory.add(name.value(), node.id);
    modified(directory);
    return new Answers.Made(node.attributes(), NodeChange.of(before, directory.attributes()), true);
  }

  @Override
  public CompletionStage<Answers.Made> make(Request by, NodeId id, FileName name, NewNode made) {
    return step(
        () -> {
          ModelNode directory = directory(id);
          ModelRights.require(by.caller(), directory, ModelRights.EXECUTE);
          if (directory.names.containsKey(name.value())) {
            throw exists(directory);
          }
          AttributesWish attributes = made.attributes();
          if (made instanceof NewNode.Directory) {
            return add(by, directory, name, NodeType.DIRECTORY, 0755, attributes);
          }
          if (made instanceof NewNode.Symlink link) {
            Answers.Made answer = add(by, directory, name, NodeType.SYMLINK, 0777, attributes);
            ModelNode node = node(answer.node().id());
            node.target = link.target();
            return new Answers.Made(node.attributes(), answer.directory(), true);
          }
          NewNode.Special special = (NewNode.Special) made;
          ModelRights.requireMaking(by.caller(), directory, special.type());
          Answers.Made answer = add(by, directory, name, special.type(), 0644, attributes);
          ModelNode node = node(answer.node().id());
          node.rdevMajor = special.major();
          node.rdevMinor = special.minor();
          return new Answers.Made(node.attributes(), answer.directory(), true);
        });
  }

  @Override
  public CompletionStage<Answers.Removed> remove(Request by, NodeId id, FileName name) {
    return step(
        () -> {
          ModelNode directory = directory(id);
          ModelRights.require(by.caller(), directory, ModelRights.EXECUTE);
          ModelNode node = child(directory, name);
          ModelRights.requireRemoval(by.caller(), directory, node);
          if (node.isDirectory()) {
            throw new FileException(
                FileError.IS_DIRECTORY,
                name + " is a directory",
                Touched.directory(directory.attributes()));
          }
          NodeAttributes before = directory.attributes();
          directory.remove(name.value());
          modified(directory);
          unlinked(node);
          return new Answers.Removed(
              NodeChange.of(before, directory.attributes()), NodeChange.UNKNOWN);
        });
  }

  private void unlinked(ModelNode node) {
    node.links--;
    changed(node);
    if (node.links == 0) {
      forget(node);
    }
  }

  @Override
  public CompletionStage<Answers.Removed> removeDirectory(Request by, NodeId id, FileName name) {
    return step(
        () -> {
          ModelNode directory = directory(id);
          ModelRights.require(by.caller(), directory, ModelRights.EXECUTE);
          ModelNode node = child(directory, name);
          ModelRights.requireRemoval(by.caller(), directory, node);
          if (!node.isDirectory() || !node.names.isEmpty()) {
            throw new FileException(
                node.isDirectory() ? FileError.NOT_EMPTY : FileError.NOT_DIRECTORY,
                name + " is no empty directory",
                Touched.directory(directory.attributes()));
          }
          NodeAttributes before = directory.attributes();
          directory.remove(name.value());
          directory.links--;
          modified(directory);
          forget(node);
          return new Answers.Removed(
              NodeChange.of(before, directory.attributes()), NodeChange.UNKNOWN);
        });
  }

  @Override
  public CompletionStage<Answers.Renamed> rename(
      Request by, NodeId fromId, FileName oldName, NodeId toId, FileName newName) {
    return step(
        () -> {
          ModelNode from = directory(fromId);
          ModelNode to = directory(toId);
          NodeAttributes fromBefore = from.attributes();
          NodeAttributes toBefore = to.attributes();
          try {
            move(by.caller(), from, oldName, to, newName);
          } catch (FileException e) {
            throw new FileException(
                e.error(),
                e.getMessage(),
                new Touched(
                    NodeChange.UNKNOWN,
                    NodeChange.unchanged(fromBefore),
                    NodeChange.unchanged(toBefore)));
          }
          return new Answers.Renamed(
              NodeChange.of(fromBefore, from.attributes()),
              NodeChange.of(toBefore, to.attributes()),
              NodeChange.UNKNOWN,
              Optional.empty());
        });
  }

  private void move(
      OnBehalfOf caller, ModelNode from, FileName oldName, ModelNode to, FileName newName)
      throws FileException {
    ModelRights.require(caller, from, ModelRights.EXECUTE);
    ModelNode node = child(from, oldName);
    ModelRights.require(caller, to, ModelRights.EXECUTE);
    ModelNode.Name there = to.names.get(newName.value());
    if (there != null && there.id().equals(node.id)) {
      return;
    }
    ModelRights.requireRemoval(caller, from, node);
    ModelRights.require(caller, to, ModelRights.WRITE | ModelRights.EXECUTE);
    if (!from.id.volume().equals(to.id.volume()) || !node.id.volume().equals(from.id.volume())) {
      throw new FileException(FileError.CROSS_VOLUME, "names stay in their volume");
    }
    if (node.isDirectory() && isBelow(to, node)) {
      throw new FileException(FileError.INVALID, "a directory cannot be moved into itself");
    }
    if (there != null) {
      replace(caller, node, to, newName, node(there.id()));
    }
    from.remove(oldName.value());
    to.add(newName.value(), node.id);
    if (node.isDirectory()) {
      from.links--;
      to.links++;
      node.parent = to.id;
    }
    changed(node);
    modified(from);
    if (from != to) {
      modified(to);
    }
  }

  private void replace(
      OnBehalfOf caller, ModelNode node, ModelNode to, FileName name, ModelNode replaced)
      throws FileException {
    ModelRights.requireRemoval(caller, to, replaced);
    if (node.isDirectory() != replaced.isDirectory()) {
      throw new FileException(
          node.isDirectory() ? FileError.NOT_DIRECTORY : FileError.IS_DIRECTORY,
          name + " is of another sort");
    }
    if (!replaced.names.isEmpty()) {
      throw new FileException(FileError.NOT_EMPTY, name + " is not empty");
    }
    to.remove(name.value());
    if (replaced.isDirectory()) {
      to.links--;
      forget(replaced);
    } else {
      unlinked(replaced);
    }
  }

  private boolean isBelow(ModelNode directory, ModelNode above) throws FileException {
    ModelNode at = directory;
    while (at != above && !at.parent.equals(at.id)) {
      at = node(at.parent);
    }
    return at == above;
  }

  @Override
  public CompletionStage<Answers.Linked> link(Request by, NodeId file, NodeId id, FileName name) {
    return step(
        () -> {
          ModelNode node = node(file);
          ModelNode directory = directory(id);
          NodeAttributes nodeBefore = node.attributes();
          NodeAttributes before = directory.attributes();
          FileError error = null;
          if (node.isDirectory()) {
            error = FileError.IS_DIRECTORY;
          } else if (!file.volume().equals(id.volume())) {
            error = FileError.CROSS_VOLUME;
          } else if (directory.names.containsKey(name.value())) {
            error = FileError.EXISTS;
          } else if (!ModelRights.has(
              by.caller(), directory, ModelRights.WRITE | ModelRights.EXECUTE)) {
            error = FileError.ACCESS_DENIED;
          } else if (node.links == limits.mostLinks()) {
            error = FileError.TOO_MANY_LINKS;
          }
          if (error != null) {
            throw new FileException(
                error,
                "no link " + name + " to " + file,
                new Touched(
                    NodeChange.unchanged(nodeBefore),
                    NodeChange.unchanged(before),
                    NodeChange.UNKNOWN));
          }
          node.links++;
          changed(node);
          directory.add(name.value(), file);
          modified(directory);
          return new Answers.Linked(
              NodeChange.of(nodeBefore, node.attributes()),
              NodeChange.of(before, directory.attributes()));
        });
  }

  @Override
  public CompletionStage<Answers.Page> list(
      Request by, NodeId id, long behindCookie, int mostEntries, boolean withAttributes) {
    return step(
        () -> {
          ModelNode directory = directory(id);
          ModelRights.require(by.caller(), directory, ModelRights.READ);
          List<Answers.Entry> entries = new ArrayList<>();
          boolean told =
              withAttributes && ModelRights.has(by.caller(), directory, ModelRights.EXECUTE);
          var left = directory.namesByCookie.tailMap(behindCookie, false);
          for (ModelNode.Name name : left.values()) {
            if (entries.size() == mostEntries) {
              break;
            }
            Optional<NodeAttributes> attributes =
                told ? Optional.of(node(name.id()).attributes()) : Optional.empty();
            entries.add(
                new Answers.Entry(
                    name.text(), name.id(), node(name.id()).type, name.cookie(), attributes));
          }
          return new Answers.Page(
              entries, entries.size() == left.size(), directory.attributes(), directory.parent);
        });
  }

  @Override
  public CompletionStage<FileReply.Space> space(Request by, NodeId file) {
    return step(
        () -> new FileReply.Space(1L << 40, 1L << 39, 1L << 32, 1L << 31, node(file).attributes()));
  }
}
