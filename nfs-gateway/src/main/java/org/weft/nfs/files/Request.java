package org.weft.nfs.files;

import java.net.InetAddress;
import org.weft.client.ids.OnBehalfOf;

/**
 * What every operation is told of the request behind it.
 *
 * @param origin tells a repeat from another request, so that what changes names is done once even
 *     if the repeat comes through another gateway
 */
public record Request(OnBehalfOf caller, Origin origin) {
  /**
   * A request as its client numbered it.
   *
   * @param number the client's own
   * @param mark over what was asked, since clients use numbers again
   */
  public record Origin(InetAddress client, int number, RequestMark mark) {}
}
