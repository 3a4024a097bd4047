/** What an operator asks of a volume: files that have lost bytes, and checks of all of it. */
package org.weft.client.health;
