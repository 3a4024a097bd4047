package org.weft.bench.load;

import java.io.IOException;

/** Passes everything on; tests change what they need. */
class DelegatingFiles implements BenchFiles {
  private final BenchFiles files;

  DelegatingFiles(BenchFiles files) {
    this.files = files;
  }

  @Override
  public void mkdirs(String path) throws IOException {
    files.mkdirs(path);
  }

  @Override
  public Output create(String path) throws IOException {
    return files.create(path);
  }

  @Override
  public Output append(String path) throws IOException {
    return files.append(path);
  }

  @Override
  public Update update(String path, boolean gathered) throws IOException {
    return files.update(path, gathered);
  }

  @Override
  public Update updateStable(String path) throws IOException {
    return files.updateStable(path);
  }

  @Override
  public Input open(String path) throws IOException {
    return files.open(path);
  }

  @Override
  public long lengthBytes(String path) throws IOException {
    return files.lengthBytes(path);
  }

  @Override
  public void stat(String path) throws IOException {
    files.stat(path);
  }

  @Override
  public int list(String path) throws IOException {
    return files.list(path);
  }

  @Override
  public void rename(String source, String target) throws IOException {
    files.rename(source, target);
  }

  @Override
  public void delete(String path) throws IOException {
    files.delete(path);
  }

  @Override
  public void deleteTree(String path) throws IOException {
    files.deleteTree(path);
  }

  @Override
  public void close() throws IOException {
    files.close();
  }
}
