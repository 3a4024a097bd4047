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
import org.weft.nfs.files.AccessRight;
import org.weft.nfs.files.FileReply;
import org.weft.nfs.files.AttributeChange;
import org.weft.nfs.files.Attributes;
import org.weft.nfs.files.Caller;
import org.weft.nfs.files.Change;
import org.weft.nfs.files.CreateMode;
import org.weft.nfs.files.FileError;
import org.weft.nfs.files.FileException;
import org.weft.nfs.files.FileId;
import org.weft.nfs.files.FileName;
import org.weft.nfs.files.FileService;
import org.weft.nfs.files.FileType;
import org.weft.nfs.files.NewNode;
import org.weft.nfs.files.Request;
import org.weft.nfs.files.ServiceLimits;
import org.weft.nfs.files.Stability;
import org.weft.nfs.files.Touched;
import org.weft.protocol.rpc.Payload;

/** The operations of the model. */
public final class ModelFileService extends ModelFiles implements FileService {
  private static final int SETGID = 02000;
  private static final int SET_IDS = 06000;

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

  public FileId root() {
    return FileId.of(VOLUME, 1);
  }

  @Override
  public CompletionStage<Attributes> attributes(Request by, FileId file) {
    return step(() -> node(file).attributes());
  }

  @Override
  public CompletionStage<Change> setAttributes(
      Request by, FileId file, AttributeChange change, OptionalLong guardNanos) {
    return step(
        () -> {
          ModelNode node = node(file);
          Attributes before = node.attributes();
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
          if (change.owner().isPresent() && !node.isDirectory() && !by.caller().superuser()) {
            node.mode &= ~SET_IDS;
          }
          return Change.of(before, node.attributes());
        });
  }

  private void requireLength(AttributeChange change) throws FileException {
    if (change.sizeBytes().orElse(0) > limits.mostFileBytes()) {
      throw new FileException(FileError.TOO_LARGE, "too long for a file");
    }
  }

  @Override
  public CompletionStage<FileReply.Found> lookUp(Request by, FileId id, FileName name) {
    return step(
        () -> {
          ModelNode directory = directory(id);
          ModelRights.require(by.caller(), directory, ModelRights.EXECUTE);
          return new FileReply.Found(child(directory, name).attributes(), directory.attributes());
        });
  }

  @Override
  public CompletionStage<FileReply.Found> parent(Request by, FileId id) {
    return step(
        () -> {
          ModelNode directory = directory(id);
          ModelRights.require(by.caller(), directory, ModelRights.EXECUTE);
          return new FileReply.Found(node(directory.parent).attributes(), directory.attributes());
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
  public CompletionStage<FileReply.Granted> access(Request by, FileId file, Set<AccessRight> wanted) {
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

  private static boolean has(Caller caller, ModelNode node, AccessRight right) {
    return switch (right) {
      case READ -> ModelRights.has(caller, node, ModelRights.READ);
      case LOOK_UP -> node.isDirectory() && ModelRights.has(caller, node, ModelRights.EXECUTE);
      case MODIFY, EXTEND -> ModelRights.has(caller, node, ModelRights.WRITE);
      case DELETE -> node.isDirectory() && ModelRights.has(caller, node, ModelRights.WRITE);
      case EXECUTE -> !node.isDirectory() && ModelRights.has(caller, node, ModelRights.EXECUTE);
    };
  }

  @Override
  public CompletionStage<FileReply.Target> readLink(Request by, FileId link) {
    return step(
        () -> {
          ModelNode node = node(link);
          if (node.type != FileType.SYMLINK) {
            throw new FileException(
                FileError.INVALID, link + " is no link", Touched.node(node.attributes()));
          }
          return new FileReply.Target(node.target, node.attributes());
        });
  }

  private ModelNode regular(FileId file) throws FileException {
    ModelNode node = node(file);
    if (node.type != FileType.REGULAR) {
      throw new FileException(
          node.isDirectory() ? FileError.IS_DIRECTORY : FileError.INVALID,
          file + " is no regular file",
          Touched.node(node.attributes()));
    }
    return node;
  }

  @Override
  public CompletionStage<FileReply.Bytes> read(
      Request by, FileId file, long offsetBytes, int countBytes) {
    return step(
        () -> {
          ModelNode node = regular(file);
          ModelRights.requireData(by.caller(), node, ModelRights.READ);
          byte[] bytes = node.content().read(offsetBytes, countBytes);
          boolean atEnd = node.content().length() - bytes.length <= offsetBytes;
          return new FileReply.Bytes(payload(ByteBuffer.wrap(bytes)), atEnd, node.attributes());
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
      Request by, FileId file, long offsetBytes, Payload payload, Stability stability) {
    return step(
        () -> {
          try {
            ModelNode node = regular(file);
            ModelRights.requireData(by.caller(), node, ModelRights.WRITE);
            Attributes before = node.attributes();
            if (payload.lengthBytes() > 0) {
              node.content().write(offsetBytes, bytes(payload));
              modified(node);
            }
            if (stability != Stability.UNSTABLE) {
              node.sync();
            }
            return new FileReply.Written(
                payload.lengthBytes(),
                stability == Stability.UNSTABLE ? Stability.UNSTABLE : Stability.FILE,
                verifier(),
                Change.of(before, node.attributes()));
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
      Request by, FileId file, long offsetBytes, long countBytes) {
    return step(
        () -> {
          ModelNode node = regular(file);
          ModelRights.requireData(by.caller(), node, ModelRights.WRITE);
          node.sync();
          return new FileReply.Committed(verifier(), Change.unchanged(node.attributes()));
        });
  }

  // Names.

  @Override
  public CompletionStage<FileReply.Made> create(
      Request by, FileId id, FileName name, CreateMode mode) {
    return step(
        () -> {
          ModelNode directory = directory(id);
          ModelRights.require(by.caller(), directory, ModelRights.EXECUTE);
          ModelNode.Name there = directory.names.get(name.value());
          if (there != null) {
            return taken(by, directory, node(there.id()), mode);
          }
          AttributeChange attributes =
              mode instanceof CreateMode.Unchecked unchecked
                  ? unchecked.attributes()
                  : mode instanceof CreateMode.Guarded guarded
                      ? guarded.attributes()
                      : AttributeChange.NOTHING;
          FileReply.Made made = add(by, directory, name, FileType.REGULAR, 0644, attributes);
          if (mode instanceof CreateMode.Exclusive exclusive) {
            node(made.node().id()).exclusive = OptionalLong.of(exclusive.verifier());
          }
          return made;
        });
  }

  private FileReply.Made taken(Request by, ModelNode directory, ModelNode node, CreateMode mode)
      throws FileException {
    boolean repeated =
        mode instanceof CreateMode.Exclusive exclusive
            && node.exclusive.equals(OptionalLong.of(exclusive.verifier()));
    boolean open = mode instanceof CreateMode.Unchecked && node.type == FileType.REGULAR;
    if (!repeated && !open) {
      throw exists(directory);
    }
    if (mode instanceof CreateMode.Unchecked unchecked
        && unchecked.attributes().sizeBytes().isPresent()) {
      ModelRights.requireData(by.caller(), node, ModelRights.WRITE);
      requireLength(unchecked.attributes());
      node.resize(unchecked.attributes().sizeBytes().getAsLong());
      modified(node);
    }
    return new FileReply.Made(node.attributes(), Change.unchanged(directory.attributes()));
  }

  private static FileException exists(ModelNode directory) {
    return new FileException(
        FileError.EXISTS, "it is there already", Touched.directory(directory.attributes()));
  }

  /** Makes a node whose name is not there yet. */
  private FileReply.Made add(
      Request by,
      ModelNode directory,
      FileName name,
      FileType type,
      int usualMode,
      AttributeChange attributes)
      throws FileException {
    ModelRights.require(by.caller(), directory, ModelRights.WRITE | ModelRights.EXECUTE);
    requireLength(attributes);
    Attributes before = directory.attributes();
    boolean inherits = (directory.mode & SETGID) != 0;
    ModelNode node =
        newNode(
            directory.id,
            type,
            attributes.mode().orElse(usualMode),
            by.caller().user(),
            inherits ? directory.group : by.caller().groups().get(0));
    AttributeChange rest =
        new AttributeChange(
            attributes.mode(),
            by.caller().superuser() ? attributes.owner() : Optional.empty(),
            by.caller().superuser() ? attributes.group() : Optional.empty(),
            type == FileType.REGULAR ? attributes.sizeBytes() : OptionalLong.empty(),
            attributes.atime(),
            attributes.mtime());
    apply(node, rest);
    if (type == FileType.DIRECTORY) {
      node.links = 2;
      node.parent = directory.id;
      directory.links++;
      node.mode |= inherits ? SETGID : 0;
    }
    directory.add(name.value(), node.id);
    modified(directory);
    return new FileReply.Made(node.attributes(), Change.of(before, directory.attributes()));
  }

  @Override
  public CompletionStage<FileReply.Made> make(Request by, FileId id, FileName name, NewNode made) {
    return step(
        () -> {
          ModelNode directory = directory(id);
          ModelRights.require(by.caller(), directory, ModelRights.EXECUTE);
          if (directory.names.containsKey(name.value())) {
            throw exists(directory);
          }
          AttributeChange attributes = made.attributes();
          if (made instanceof NewNode.Directory) {
            return add(by, directory, name, FileType.DIRECTORY, 0755, attributes);
          }
          if (made instanceof NewNode.Symlink link) {
            FileReply.Made answer = add(by, directory, name, FileType.SYMLINK, 0777, attributes);
            ModelNode node = node(answer.node().id());
            node.target = link.target();
            return new FileReply.Made(node.attributes(), answer.directory());
          }
          NewNode.Special special = (NewNode.Special) made;
          FileReply.Made answer = add(by, directory, name, special.type(), 0644, attributes);
          ModelNode node = node(answer.node().id());
          node.device = special.device();
          return new FileReply.Made(node.attributes(), answer.directory());
        });
  }

  @Override
  public CompletionStage<FileReply.Removed> remove(Request by, FileId id, FileName name) {
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
          Attributes before = directory.attributes();
          directory.remove(name.value());
          modified(directory);
          unlinked(node);
          return new FileReply.Removed(Change.of(before, directory.attributes()));
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
  public CompletionStage<FileReply.Removed> removeDirectory(Request by, FileId id, FileName name) {
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
          Attributes before = directory.attributes();
          directory.remove(name.value());
          directory.links--;
          modified(directory);
          forget(node);
          return new FileReply.Removed(Change.of(before, directory.attributes()));
        });
  }

  @Override
  public CompletionStage<FileReply.Renamed> rename(
      Request by, FileId fromId, FileName oldName, FileId toId, FileName newName) {
    return step(
        () -> {
          ModelNode from = directory(fromId);
          ModelNode to = directory(toId);
          Attributes fromBefore = from.attributes();
          Attributes toBefore = to.attributes();
          try {
            move(by.caller(), from, oldName, to, newName);
          } catch (FileException e) {
            throw new FileException(
                e.error(),
                e.getMessage(),
                new Touched(
                    Change.UNKNOWN, Change.unchanged(fromBefore), Change.unchanged(toBefore)));
          }
          return new FileReply.Renamed(
              Change.of(fromBefore, from.attributes()), Change.of(toBefore, to.attributes()));
        });
  }

  private void move(Caller caller, ModelNode from, FileName oldName, ModelNode to, FileName newName)
      throws FileException {
    ModelRights.require(caller, from, ModelRights.EXECUTE);
    ModelNode node = child(from, oldName);
    ModelRights.requireRemoval(caller, from, node);
    ModelRights.require(caller, to, ModelRights.WRITE | ModelRights.EXECUTE);
    if (!from.id.volume().equals(to.id.volume()) || !node.id.volume().equals(from.id.volume())) {
      throw new FileException(FileError.CROSS_VOLUME, "names stay in their volume");
    }
    if (node.isDirectory() && isBelow(to, node)) {
      throw new FileException(FileError.INVALID, "a directory cannot be moved into itself");
    }
    ModelNode.Name there = to.names.get(newName.value());
    if (there != null && there.id().equals(node.id)) {
      return;
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
      Caller caller, ModelNode node, ModelNode to, FileName name, ModelNode replaced)
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
  public CompletionStage<FileReply.Linked> link(Request by, FileId file, FileId id, FileName name) {
    return step(
        () -> {
          ModelNode node = node(file);
          ModelNode directory = directory(id);
          Attributes nodeBefore = node.attributes();
          Attributes before = directory.attributes();
          FileError error = null;
          if (node.isDirectory()) {
            error = FileError.INVALID;
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
                    Change.unchanged(nodeBefore), Change.unchanged(before), Change.UNKNOWN));
          }
          node.links++;
          changed(node);
          directory.add(name.value(), file);
          modified(directory);
          return new FileReply.Linked(
              Change.of(nodeBefore, node.attributes()), Change.of(before, directory.attributes()));
        });
  }

  @Override
  public CompletionStage<FileReply.Listing> list(
      Request by, FileId id, long behindCookie, int mostEntries, boolean withAttributes) {
    return step(
        () -> {
          ModelNode directory = directory(id);
          ModelRights.require(by.caller(), directory, ModelRights.READ);
          List<FileReply.Entry> entries = new ArrayList<>();
          var left = directory.namesByCookie.tailMap(behindCookie, false);
          for (ModelNode.Name name : left.values()) {
            if (entries.size() == mostEntries) {
              break;
            }
            Optional<Attributes> attributes =
                withAttributes ? Optional.of(node(name.id()).attributes()) : Optional.empty();
            entries.add(
                new FileReply.Entry(new FileName(name.text()), name.id(), name.cookie(), attributes));
          }
          return new FileReply.Listing(
              entries, entries.size() == left.size(), directory.attributes(), directory.parent);
        });
  }

  @Override
  public CompletionStage<FileReply.Space> space(Request by, FileId file) {
    return step(
        () -> new FileReply.Space(1L << 40, 1L << 39, 1L << 32, 1L << 31, node(file).attributes()));
  }
}
