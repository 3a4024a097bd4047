package org.weft.cli.fs;

import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;
import org.weft.client.CreateOptions;
import org.weft.client.FileStatus;
import org.weft.client.SpaceStatus;
import org.weft.client.WeftFiles;
import org.weft.client.WeftOutputStream;
import org.weft.client.WeftPath;

/** The files of a real cluster. */
record ClusterFiles(WeftFiles files) implements RemoteFiles {
  @Override
  public Optional<FileStatus> find(WeftPath path) throws IOException {
    return files.find(path);
  }

  @Override
  public Entries list(WeftPath directory) throws IOException {
    return files.list(directory)::next;
  }

  @Override
  public Entries listNames(WeftPath directory) throws IOException {
    return files.listNames(directory)::next;
  }

  @Override
  public void mkdir(WeftPath path, int mode, boolean parents) throws IOException {
    var unused = parents ? files.mkdirs(path, mode) : files.mkdir(path, mode);
  }

  @Override
  public Output create(WeftPath path, int mode) throws IOException {
    return new Written(files.create(path, CreateOptions.replacing().withMode(mode)));
  }

  @Override
  public InputStream open(WeftPath path) throws IOException {
    return files.open(path);
  }

  @Override
  public void rename(WeftPath source, WeftPath target, boolean replace) throws IOException {
    files.rename(source, target, replace);
  }

  @Override
  public void unlink(WeftPath path) throws IOException {
    files.unlink(path);
  }

  @Override
  public void rmdir(WeftPath path) throws IOException {
    files.rmdir(path);
  }

  @Override
  public SpaceStatus space() throws IOException {
    return files.statfs();
  }

  /** A file of the cluster being written. */
  private static final class Written extends Output {
    private final WeftOutputStream stream;

    private Written(WeftOutputStream stream) {
      this.stream = stream;
    }

    @Override
    public void write(int b) throws IOException {
      stream.write(b);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      stream.write(bytes, offset, length);
    }

    @Override
    public void close() throws IOException {
      stream.close();
    }

    @Override
    void abort() throws IOException {
      stream.abort();
    }
  }
}
