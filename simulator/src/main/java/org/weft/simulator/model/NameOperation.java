package org.weft.simulator.model;

import static org.weft.testkit.names.NameUser.SUPERUSER;

import org.weft.testkit.names.NameRefusal;
import org.weft.testkit.names.NameTree;
import org.weft.testkit.names.NodeMaking;
import org.weft.testkit.names.TreeNode;

/** What a client may ask of names; the simulator's clients may do everything. */
public sealed interface NameOperation {
  /**
   * The model's result of an operation.
   *
   * @param after the names after it
   * @param node that it made or found; null for operations without an answer
   */
  record Result(NameTree after, TreeNode node) {}

  /**
   * Carries it out.
   *
   * @param id of a node that it makes
   * @param objectId its number in the file system; 0 if no client learnt it
   */
  Result on(NameTree tree, int id, long objectId) throws NameRefusal;

  /** False if it changes nothing, whatever it meets. */
  default boolean changes() {
    return true;
  }

  private static Result made(NameTree after, int id) {
    return new Result(after, after.node(id));
  }

  record Mkdir(String path) implements NameOperation {
    @Override
    public Result on(NameTree tree, int id, long objectId) throws NameRefusal {
      return made(tree.mkdir(path, NodeMaking.of(id, objectId)), id);
    }
  }

  /** The file is open for writing after it. */
  record Create(String path, boolean overwrite) implements NameOperation {
    @Override
    public Result on(NameTree tree, int id, long objectId) throws NameRefusal {
      return made(tree.create(path, overwrite, NodeMaking.of(id, objectId)), id);
    }
  }

  record Symlink(String target, String path) implements NameOperation {
    @Override
    public Result on(NameTree tree, int id, long objectId) throws NameRefusal {
      return made(tree.symlink(target, path, NodeMaking.of(id, objectId)), id);
    }
  }

  record Link(String existing, String path) implements NameOperation {
    @Override
    public Result on(NameTree tree, int id, long objectId) throws NameRefusal {
      NameTree after = tree.link(existing, path, SUPERUSER);
      return new Result(after, after.find(path, false, SUPERUSER));
    }
  }

  record Unlink(String path) implements NameOperation {
    @Override
    public Result on(NameTree tree, int id, long objectId) throws NameRefusal {
      return new Result(tree.unlink(path, SUPERUSER), null);
    }
  }

  record Rmdir(String path) implements NameOperation {
    @Override
    public Result on(NameTree tree, int id, long objectId) throws NameRefusal {
      return new Result(tree.rmdir(path, SUPERUSER), null);
    }
  }

  record Rename(String source, String target, boolean replace) implements NameOperation {
    @Override
    public Result on(NameTree tree, int id, long objectId) throws NameRefusal {
      return new Result(tree.rename(source, target, replace, SUPERUSER), null);
    }
  }

  /**
   * Sets an extended attribute.
   *
   * @param value "" to remove it
   */
  record SetXattr(String path, String name, String value) implements NameOperation {
    @Override
    public Result on(NameTree tree, int id, long objectId) throws NameRefusal {
      return new Result(tree.setXattr(path, name, value, SUPERUSER), null);
    }
  }

  /**
   * Says how files of a directory are cut.
   *
   * @param layout "" for the default
   */
  record SetLayout(String path, String layout) implements NameOperation {
    @Override
    public Result on(NameTree tree, int id, long objectId) throws NameRefusal {
      NameTree after = tree.setLayout(path, layout, SUPERUSER);
      return new Result(after, after.find(path, true, SUPERUSER));
    }
  }

  /**
   * Asks what a path leads to, its extended attributes included where the answer has them.
   *
   * @param follow a symbolic link that the path ends in
   */
  record Look(String path, boolean follow) implements NameOperation {
    @Override
    public Result on(NameTree tree, int id, long objectId) throws NameRefusal {
      return new Result(tree, tree.find(path, follow, SUPERUSER));
    }

    @Override
    public boolean changes() {
      return false;
    }
  }

  /** Opens a file that exists, for reading or writing. */
  record Open(String path) implements NameOperation {
    @Override
    public Result on(NameTree tree, int id, long objectId) throws NameRefusal {
      return new Result(tree, tree.open(path, SUPERUSER));
    }

    @Override
    public boolean changes() {
      return false;
    }
  }

  /** Lists a directory in one page. */
  record Names(String path) implements NameOperation {
    @Override
    public Result on(NameTree tree, int id, long objectId) throws NameRefusal {
      return new Result(tree, tree.list(path, SUPERUSER));
    }

    @Override
    public boolean changes() {
      return false;
    }
  }
}
