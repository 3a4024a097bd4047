package org.weft.nfs.cluster;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.weft.client.WeftClient;
import org.weft.client.WeftPath;
import org.weft.nfs.model.Nfs3Client;

/**
 * Changes names in directories of an export. A change is done when its call returns. Used by one
 * thread.
 */
sealed interface DirectoryHand {
  /** Makes a link: a name with a node, and no bytes. */
  void make(String directory, String name);

  void remove(String directory, String name);

  /** Replaces what has the new name. */
  void rename(String from, String oldName, String to, String newName);

  /** By Weft's own client. */
  record OfWeft(WeftClient client, String export) implements DirectoryHand {
    private WeftPath path(String directory, String name) {
      return WeftPath.of(export + "/" + directory + "/" + name);
    }

    @Override
    public void make(String directory, String name) {
      var unused = client.fileSystem().symlink("t", path(directory, name)).join();
    }

    @Override
    public void remove(String directory, String name) {
      client.fileSystem().unlink(path(directory, name)).join();
    }

    @Override
    public void rename(String from, String oldName, String to, String newName) {
      client.fileSystem().rename(path(from, oldName), path(to, newName), true).join();
    }
  }

  /**
   * By way of gateways. Where one is killed under a change, another is asked. It may say that the
   * change was done before, as its call has a number of its own.
   */
  final class OfNfs implements DirectoryHand {
    private final Function<Function<Nfs3Client, Nfs3Client.Result>, Nfs3Client.Result> asked;
    private final byte[] export;
    private final Map<String, byte[]> directories = new HashMap<>();

    /**
     * @param asked carries out a call at any gateway, and at another one if that fails
     */
    OfNfs(
        Function<Function<Nfs3Client, Nfs3Client.Result>, Nfs3Client.Result> asked, String export) {
      this.asked = asked;
      this.export = asked.apply(client -> client.mount(export)).handle;
    }

    private byte[] handle(String directory) {
      return directories.computeIfAbsent(
          directory, name -> asked.apply(client -> client.lookup(export, name)).handle);
    }

    private void done(int ofRepeat, Function<Nfs3Client, Nfs3Client.Result> call) {
      int[] attempts = {0};
      int status =
          asked.apply(
                  client -> {
                    attempts[0]++;
                    return call.apply(client);
                  })
              .status;
      List<Integer> good =
          attempts[0] == 1 ? List.of(Nfs3Client.OK) : List.of(Nfs3Client.OK, ofRepeat);
      assertTrue(good.contains(status), () -> "status " + status + " of try " + attempts[0]);
    }

    @Override
    public void make(String directory, String name) {
      byte[] target = "t".getBytes(StandardCharsets.UTF_8);
      byte[] at = handle(directory);
      done(Nfs3Client.EXIST, client -> client.symlink(at, name, target));
    }

    @Override
    public void remove(String directory, String name) {
      byte[] at = handle(directory);
      done(Nfs3Client.NOENT, client -> client.remove(at, name));
    }

    @Override
    public void rename(String from, String oldName, String to, String newName) {
      byte[] source = handle(from);
      byte[] target = handle(to);
      done(Nfs3Client.NOENT, client -> client.rename(source, oldName, target, newName));
    }
  }
}
