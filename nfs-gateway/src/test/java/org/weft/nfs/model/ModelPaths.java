package org.weft.nfs.model;

import com.google.protobuf.ByteString;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.weft.client.ids.AttributesWish;
import org.weft.client.ids.CreateWish;
import org.weft.client.ids.NewNode;
import org.weft.client.ids.NodeAttributes;
import org.weft.client.ids.NodeId;
import org.weft.client.ids.NodeType;
import org.weft.client.ids.OnBehalfOf;
import org.weft.client.ids.TimeWish;
import org.weft.nfs.files.FileError;
import org.weft.nfs.files.FileException;
import org.weft.nfs.files.FileName;
import org.weft.nfs.files.Request;

/**
 * Operations by path on the nodes of the model, as Weft's own clients do them: symbolic links are
 * followed, rights are those of modes alone, and what is new has the group of its directory. Paths
 * begin at the model's root. For one thread.
 */
public final class ModelPaths {
  private static final int MAX_LINKS = 40;

  private final ModelFileService files;

  public ModelPaths(ModelFileService files) {
    this.files = files;
  }

  /** Where a name stands or could stand; the node is null if nothing stands there. */
  private record Place(ModelNode directory, String name, ModelNode node) {
    ModelNode there(String path) throws FileException {
      if (node == null) {
        throw new FileException(FileError.NOT_FOUND, path + " is not there");
      }
      return node;
    }
  }

  /** The path of a directory that has a name. */
  public String of(NodeId directory) {
    if (directory.equals(files.root())) {
      return "";
    }
    try {
      ModelNode above = files.node(files.node(directory).parent);
      for (ModelNode.Name name : above.names.values()) {
        if (name.id().equals(directory)) {
          return of(above.id) + "/" + name.text();
        }
      }
      throw new AssertionError(directory + " has no name");
    } catch (FileException e) {
      throw new AssertionError(e);
    }
  }

  /** A path of a node that has a name. */
  public String anyOf(NodeId node) {
    return below(files.root(), "", node).orElseThrow(() -> new AssertionError(node + " is gone"));
  }

  private Optional<String> below(NodeId directory, String path, NodeId wanted) {
    try {
      for (ModelNode.Name name : files.node(directory).names.values()) {
        String at = path + "/" + name.text();
        Optional<String> found =
            name.id().equals(wanted) ? Optional.of(at) : below(name.id(), at, wanted);
        if (found.isPresent()) {
          return found;
        }
      }
      return Optional.empty();
    } catch (FileException e) {
      throw new AssertionError(e);
    }
  }

  /** What stands there, whatever anyone may do; links are not followed. */
  public Optional<NodeId> find(NodeId directory, String name) {
    try {
      ModelNode.Name entry = files.directory(directory).names.get(name);
      return Optional.ofNullable(entry).map(ModelNode.Name::id);
    } catch (FileException e) {
      return Optional.empty();
    }
  }

  /** What a path leads to, whatever anyone may do. */
  public Optional<NodeId> find(String path) {
    OnBehalfOf root = new OnBehalfOf("root", List.of("root"), true);
    try {
      return Optional.ofNullable(walk(root, path, true).node()).map(node -> node.id);
    } catch (FileException e) {
      return Optional.empty();
    }
  }

  public boolean isEmptyDirectory(NodeId node) {
    try {
      return files.node(node).isDirectory() && files.node(node).names.isEmpty();
    } catch (FileException e) {
      return false;
    }
  }

  /** All bytes of a file. */
  public byte[] bytes(NodeId file) {
    try {
      ModelContent content = files.node(file).content();
      return content.read(0, (int) content.length());
    } catch (FileException e) {
      throw new AssertionError(e);
    }
  }

  private <T> ModelAnswer<T> answer(ModelFiles.Step<T> step) {
    return ModelAnswer.of(files.step(step));
  }

  private Place walk(OnBehalfOf caller, String path, boolean followLast) throws FileException {
    Deque<String> left = new ArrayDeque<>(names(path));
    ModelNode at = files.node(files.root());
    Place place = new Place(at, "", at);
    int links = 0;
    while (!left.isEmpty()) {
      ModelNode directory = files.directory(at.id);
      ModelRights.require(caller, directory, ModelRights.EXECUTE);
      String name = left.pop();
      ModelNode.Name entry = directory.names.get(name);
      ModelNode child =
          name.equals("..")
              ? files.node(directory.parent)
              : entry == null ? null : files.node(entry.id());
      place = new Place(directory, name, child);
      if (left.isEmpty() && child == null) {
        return place;
      }
      child = place.there(path);
      if (child.type == NodeType.SYMLINK && (followLast || !left.isEmpty())) {
        if (++links > MAX_LINKS) {
          throw new FileException(FileError.INVALID, path + ": too many links");
        }
        List<String> target = names(child.target.toStringUtf8());
        for (int i = target.size() - 1; i >= 0; i--) {
          left.push(target.get(i));
        }
      } else {
        at = child;
      }
    }
    return place;
  }

  private static List<String> names(String path) {
    List<String> names = new ArrayList<>(List.of(path.split("/")));
    names.removeIf(String::isEmpty);
    return names;
  }

  private static ModelNode withBytes(ModelNode node, String path) throws FileException {
    if (node.type != NodeType.FILE) {
      throw new FileException(
          node.isDirectory() ? FileError.IS_DIRECTORY : FileError.UNSUPPORTED,
          path + " has no bytes");
    }
    return node;
  }

  /**
   * @param follow a link at the end, too
   */
  public ModelAnswer<NodeAttributes> status(Request by, String path, boolean follow) {
    return answer(() -> walk(by.caller(), path, follow).there(path).attributes());
  }

  /** The target of a symbolic link. */
  public ModelAnswer<String> linkTarget(Request by, String path) {
    return answer(
        () -> {
          ModelNode node = walk(by.caller(), path, false).there(path);
          if (node.type != NodeType.SYMLINK) {
            throw new FileException(FileError.INVALID, path + " is no link");
          }
          return node.target.toStringUtf8();
        });
  }

  /** Of a directory its entries; of anything else that alone, under no name. */
  public ModelAnswer<Map<String, NodeAttributes>> list(Request by, String path) {
    return answer(
        () -> {
          ModelNode node = walk(by.caller(), path, true).there(path);
          Map<String, NodeAttributes> entries = new TreeMap<>();
          if (!node.isDirectory()) {
            entries.put("", node.attributes());
            return entries;
          }
          ModelRights.require(by.caller(), node, ModelRights.READ);
          for (ModelNode.Name name : node.names.values()) {
            entries.put(name.text(), files.node(name.id()).attributes());
          }
          return entries;
        });
  }

  public ModelAnswer<NodeAttributes> openForReading(Request by, String path) {
    return answer(
        () -> {
          ModelNode node = withBytes(walk(by.caller(), path, true).there(path), path);
          ModelRights.require(by.caller(), node, ModelRights.READ);
          return node.attributes();
        });
  }

  /** Takes setuid and setgid from the mode, as opening does. */
  public ModelAnswer<NodeAttributes> openForWriting(Request by, String path) {
    return answer(() -> writable(by, path).attributes());
  }

  private ModelNode writable(Request by, String path) throws FileException {
    ModelNode node = withBytes(walk(by.caller(), path, true).there(path), path);
    ModelRights.require(by.caller(), node, ModelRights.WRITE);
    int mode = node.mode;
    ModelRights.afterWrite(by.caller(), node);
    if (node.mode != mode) {
      files.changed(node);
    }
    return node;
  }

  /** Adds bytes to an open file. */
  public void append(NodeId file, byte[] bytes) {
    answer(
        () -> {
          ModelNode node = files.node(file);
          node.content().write(node.sizeBytes(), bytes);
          node.sync();
          files.modified(node);
          return file;
        });
  }

  /** Cuts a file; one that has that length stays as it is. */
  public ModelAnswer<NodeAttributes> truncate(Request by, String path, long sizeBytes) {
    return answer(
        () -> {
          ModelNode node = writable(by, path);
          if (node.sizeBytes() != sizeBytes) {
            node.resize(sizeBytes);
            files.modified(node);
          }
          return node.attributes();
        });
  }

  /**
   * @param overwrite a file that is there is replaced by another; a link there is written through
   */
  public ModelAnswer<NodeAttributes> create(Request by, String path, int mode, boolean overwrite) {
    return answer(
        () -> {
          Place place = walk(by.caller(), path, overwrite);
          ModelNode old = place.node();
          if (old != null && !overwrite) {
            throw new FileException(FileError.EXISTS, path + " is there");
          }
          if (old != null) {
            ModelRights.require(by.caller(), withBytes(old, path), ModelRights.WRITE);
          }
          ModelNode directory = place.directory();
          ModelRights.require(by.caller(), directory, ModelRights.WRITE);
          FileName name = new FileName(place.name());
          if (old != null) {
            done(files.remove(by, directory.id, name));
          }
          CreateWish wish = new CreateWish.Guarded(mode(mode));
          return inGroupOf(directory, done(files.create(by, directory.id, name, wish)).node());
        });
  }

  /** One that is there is as good as a new one. */
  public ModelAnswer<NodeAttributes> makeDirectory(Request by, String path, int mode) {
    return answer(
        () -> {
          Place place = walk(by.caller(), path, false);
          if (place.node() != null) {
            Optional<NodeId> end = find(path);
            if (end.isPresent() && files.node(end.get()).isDirectory()) {
              return walk(by.caller(), path, true).there(path).attributes();
            }
            throw new FileException(FileError.EXISTS, path + " is there");
          }
          ModelNode directory = place.directory();
          ModelRights.require(by.caller(), directory, ModelRights.WRITE);
          NewNode wish = new NewNode.Directory(mode(mode));
          FileName name = new FileName(place.name());
          return inGroupOf(directory, done(files.make(by, directory.id, name, wish)).node());
        });
  }

  public ModelAnswer<NodeAttributes> link(Request by, String target, String path) {
    return answer(
        () -> {
          Place place = walk(by.caller(), path, false);
          ModelNode directory = place.directory();
          NewNode wish =
              new NewNode.Symlink(AttributesWish.NOTHING, ByteString.copyFromUtf8(target));
          FileName name = new FileName(place.name());
          return inGroupOf(directory, done(files.make(by, directory.id, name, wish)).node());
        });
  }

  private NodeAttributes inGroupOf(ModelNode directory, NodeAttributes made) throws FileException {
    ModelNode node = files.node(made.id());
    node.group = directory.group;
    return node.attributes();
  }

  /**
   * To exactly that name.
   *
   * @param replace a file may take the place of a file, a directory that of an empty one
   */
  public ModelAnswer<Boolean> rename(Request by, String source, String target, boolean replace) {
    return answer(
        () -> {
          Place from = walk(by.caller(), source, false);
          ModelNode moving = from.there(source);
          Place to = walk(by.caller(), target, false);
          if (to.node() != moving) {
            if (to.node() != null && !replace) {
              throw new FileException(FileError.EXISTS, target + " is there");
            }
            FileName oldName = new FileName(from.name());
            done(
                files.rename(
                    by, from.directory().id, oldName, to.directory().id, new FileName(to.name())));
          }
          return true;
        });
  }

  /** False if nothing was there. What is removed recursively is removed by the superuser. */
  public ModelAnswer<Boolean> remove(Request by, String path, boolean recursive) {
    return answer(
        () -> {
          Place place;
          try {
            place = walk(by.caller(), path, false);
          } catch (FileException e) {
            if (e.error() == FileError.NOT_FOUND || e.error() == FileError.NOT_DIRECTORY) {
              return false;
            }
            throw e;
          }
          if (place.node() == null) {
            return false;
          }
          remove(by, place.directory(), place.name(), recursive);
          return true;
        });
  }

  private void remove(Request by, ModelNode directory, String name, boolean recursive)
      throws FileException {
    ModelNode node = files.node(directory.names.get(name).id());
    if (!node.isDirectory()) {
      done(files.remove(by, directory.id, new FileName(name)));
      return;
    }
    if (recursive) {
      for (String inside : List.copyOf(node.names.keySet())) {
        remove(by, node, inside, true);
      }
    }
    done(files.removeDirectory(by, directory.id, new FileName(name)));
  }

  /** Mode, owner, group and times of what a path leads to. */
  public ModelAnswer<NodeAttributes> set(Request by, String path, AttributesWish wish) {
    return answer(
        () -> {
          ModelNode node = walk(by.caller(), path, true).there(path);
          return done(files.setAttributes(by, node.id, wish, OptionalLong.empty())).after().get();
        });
  }

  public static AttributesWish mode(int mode) {
    return new AttributesWish(
        OptionalInt.of(mode),
        Optional.empty(),
        Optional.empty(),
        OptionalLong.empty(),
        TimeWish.KEEP,
        TimeWish.KEEP);
  }

  /** The answer, or the refusal for the operation that this one is a part of. */
  private static <T> T done(java.util.concurrent.CompletionStage<T> part) throws FileException {
    try {
      return part.toCompletableFuture().join();
    } catch (java.util.concurrent.CompletionException e) {
      throw FileException.of(e);
    }
  }
}
