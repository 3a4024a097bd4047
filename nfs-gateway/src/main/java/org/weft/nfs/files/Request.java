package org.weft.nfs.files;

import java.net.InetAddress;
import org.weft.client.ids.OnBehalfOf;

/**
 * Properties of the request, which every operation gets.
 *
 * @param origin distinguishes a repeat from another request. So a change of names is done once even
 *     if the repeat comes through another gateway
 */
public record Request(OnBehalfOf caller, Origin origin) {
  /**
   * A request as its client numbered it.
   *
   * @param number the client's own
   * @param mark over the arguments, since clients use numbers again
   */
  public record Origin(InetAddress client, int number, RequestMark mark) {}
}
